// One program that is a whole Kubernetes control plane for tests: etcd, kube-apiserver,
// kube-controller-manager and kubectl. The name under which it is started says which of them this
// process is, so that links to it can stand where a vendor's programs would; or its first argument
// does.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// Each part reads its own flags from the process's arguments.
var parts = map[string]func(){
	"etcd": func() {
		etcdmain.Main(os.Args)
	},
	"kube-apiserver": func() {
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	},
	"kube-controller-manager": func() {
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	},
	"kubectl": func() {
		os.Exit(cli.Run(kubectl.NewDefaultKubectlCommand()))
	},
}

func main() {
	if run, ok := parts[filepath.Base(os.Args[0])]; ok {
		run()
		return
	}
	if len(os.Args) > 1 {
		if run, ok := parts[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			run()
			return
		}
	}
	fmt.Fprintln(os.Stderr, "expected etcd, kube-apiserver, kube-controller-manager or kubectl")
	os.Exit(2)
}
