// Certificates of a control plane that lives for one test run. It rests on the standard library
// alone, so that it builds in seconds where the parts of the control plane are already there.
//
//	certificates authority FOLDER             an authority, a serving certificate, a token key
//	certificates client FOLDER NAME [GROUP…]  a client certificate, printed as one JSON object
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	// A test run takes minutes; a control plane that a person works against may stay a day.
	lifetime = 7 * 24 * time.Hour
	// Clocks of one machine agree; a certificate of this second must still be valid.
	leeway     = time.Minute
	serialBits = 127
	fileMode   = 0o600
)

// What the first address of the services' range and the server inside the cluster are called.
var servingNames = []string{"localhost", "kubernetes.default", "kubernetes.default.svc"}
var servingAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback, net.IPv4(10, 0, 0, 1)}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "certificates:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 2 && arguments[0] == "authority" {
		return writeAuthority(arguments[1])
	}
	if len(arguments) >= 3 && arguments[0] == "client" {
		return printClient(arguments[1], pkix.Name{
			CommonName:   arguments[2],
			Organization: arguments[3:],
		})
	}
	return errors.New("expected: authority FOLDER, or client FOLDER NAME [GROUP…]")
}

func writeAuthority(folder string) error {
	authority, err := issue(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "varve-test-authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}, nil)
	if err != nil {
		return err
	}
	serving, err := issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		DNSNames:    servingNames,
		IPAddresses: servingAddresses,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority)
	if err != nil {
		return err
	}
	tokens, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return errors.Join(
		write(folder, "authority.crt", authority.certificatePEM),
		write(folder, "authority.key", authority.keyPEM),
		write(folder, "serving.crt", serving.certificatePEM),
		write(folder, "serving.key", serving.keyPEM),
		writeTokenKey(folder, tokens),
	)
}

func printClient(folder string, subject pkix.Name) error {
	authority, err := readAuthority(folder)
	if err != nil {
		return err
	}
	client, err := issue(&x509.Certificate{
		Subject:     subject,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, authority)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]string{
		"certificate": string(client.certificatePEM),
		"key":         string(client.keyPEM),
	})
}

// issued is a certificate with its key; an authority is one that others are signed with.
type issued struct {
	certificate    *x509.Certificate
	key            *ecdsa.PrivateKey
	certificatePEM []byte
	keyPEM         []byte
}

// issue signs with the authority, or, without one, with the new key itself.
func issue(template *x509.Certificate, authority *issued) (*issued, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), serialBits))
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-leeway)
	template.NotAfter = time.Now().Add(lifetime)
	parent, signer := template, key
	if authority != nil {
		parent, signer = authority.certificate, authority.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	keyBytes, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return &issued{
		certificate:    certificate,
		key:            key,
		certificatePEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM:         pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyBytes}),
	}, nil
}

func readAuthority(folder string) (*issued, error) {
	certificateBytes, err := readBlock(folder, "authority.crt")
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(certificateBytes)
	if err != nil {
		return nil, err
	}
	keyBytes, err := readBlock(folder, "authority.key")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(keyBytes)
	if err != nil {
		return nil, err
	}
	return &issued{certificate: certificate, key: key}, nil
}

func readBlock(folder, name string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s holds no PEM block", name)
	}
	return block.Bytes, nil
}

func writeTokenKey(folder string, key *ecdsa.PrivateKey) error {
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	privatePEM := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})
	publicPEM := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	return errors.Join(
		write(folder, "tokens.key", privatePEM),
		write(folder, "tokens.pub", publicPEM),
	)
}

func write(folder, name string, text []byte) error {
	return os.WriteFile(filepath.Join(folder, name), text, fileMode)
}
