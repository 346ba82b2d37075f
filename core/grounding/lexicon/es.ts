import { createStem } from '../../text/stem.ts';
import type { LexiconText } from './lexicon.ts';

const SAME = `
ser es son era eran fue fueron sido serán
ir va van fue iba ido irá
hacer hizo hicieron hecho hará
tener tiene tuvo tendrá tengo
poder puede pudo podrá
querer quiere quiso
venir viene vino vengo vendrá
decir dice dijo dicho digo
dar da dan dio dieron dado doy
poner puso puesto pongo
saber supo sé
salir salgo
traer trajo traído traigo
ver ve ven vio visto veo
volver vuelve vuelto
encontrar encuentra
empezar empieza comenzar comienza inicio
cerrar cierra
pedir pide
perder pierde
morir muere murió muerto
dormir duerme durmió
elegir elige elección
decidir decisión
romper roto
abrir abre abrió abierto apertura
escribir escrito
comprar adquirir adquiere
vender venta
reparar repara arreglar
médico doctora
empresa compañía firma
coche carro auto automóvil
piso apartamento departamento
teléfono móvil celular
madre mamá
padre papá
abuela abuelita
niño hijos
trabajo empleo
abogado letrado
medicamento medicina fármaco
profesor maestro docente
recibir obtener obtuvo
necesitar requiere
terminar acabar finalizar fin final
bicicleta bici
nombrar nombramiento
firmar firmó firmado
revisar revisión
cancelar suspender
alumno estudiante
jefe director
tienda comercio negocio
sueldo salario
calle camino
enfermo enfermedad
vivir reside
precio coste
gratis gratuito
casa vivienda hogar
basura residuos
viaje trayecto
comida plato
grande enorme
pequeño diminuto
dejar abandonar
mudar mudanza trasladar traslado
subir aumentar
bajar disminuir reducción
averiar averió
enterrar entierro
`;

export const SPANISH: LexiconText = {
  free: `
    el la los las lo un una unos unas y e o u pero que de del al a en con por para entre sobre desde
    hasta hacia según durante ante es son era eran fue fueron ser sido siendo está están estaba
    estaban estar estado he ha han había habían haber hay hubo será serán se le les me te nos os su
    sus mi mis tu tus nuestro nuestra nuestros nuestras yo él ella ellos ellas usted ustedes
    nosotros este esta estos estas ese esa esos esas esto eso aquel aquella cual cuales quien
    quienes cuyo cuya como cuando donde también ya muy aún todavía aquí allí ahora así pues
    entonces además mientras tanto dice dijo dicho dicen decir afirma afirmó explica explicó informa
    informó comenta comentó menciona mencionó anuncia anunció indica indicó señala señaló tiene
    tienen tuvo lugar lleva llevó cabo realiza realizó realizado hace hacen hizo hecho parte cargo
    respecto usuario usuaria encuentra ubicado tal cosa uno otro va van favor empezó comienza
    comenzó recibe recibió recibido queda quedó quedan mantiene dura duran cuesta costó cuestan mide
    pesa contiene incluye consta trae trajo deja dejó pone puesto puesta sigue persona personas
    gente miembro miembros participante participantes número cantidad sitio zona edificio tipo forma
    grupo artículo producto objeto aparato hora fecha período duración longitud altura tamaño peso
    precio edad temperatura total mujer hombre señor señora juntos recientemente aproximadamente
    actualmente asimismo cuyos cuyas dicha dichos habido usa equipo guarda guardan duró empieza
    partir sino aunque incluso mediante junto cualquier cualquiera cualesquiera quienquiera conforme
    mismo misma mismos mismas vuestro vuestra deber debe deben debo debemos debía debían debió
    deberá deberán poder soler suele suelen solía haya hayan hemos has hubiera hubiese esté estén
    estoy estamos estuvo estuvieron estaré estará estarán soy somos eres fui fuimos sea sean tengo
    tenemos tenía tenían tendrá tendrán hago hacemos hacía hacían hará voy vamos iba iban irá irán
    doy da dan dio llamado llamada llamados llamadas llama llaman llamaba denominado denominada
    expresa expresó manifiesta manifestó relata relató refiere aclara aclaró añade añadió asegura
    aseguró sostiene cuenta contó continúa continúan continuó siguen seguir siguió mantener
    mantienen actual actuales existe existen existía usuarios usuarias comenzar comienzan comenzarán
    empezará empezarán empiezo empezamos conmigo contigo consigo
  `,
  modifiers: {
    negation: `no nunca jamás nadie nada ningún ninguna ninguno ni sin tampoco excluido excluida
      excepto prohibido prohibida prohíbe prohibió prohibición`,
    possibility: `quizá quizás podría podrían posiblemente probablemente parece
      parecen sospecha sospechan cree creen creo supone suponen posible probable supuestamente
      presuntamente considera consideran considerando estudia valora`,
    obligation: 'obligatorio obligatoria obligado obligados necesario necesaria exige',
    advice: `debería deberían recomienda recomendó recomiendan recomendado recomendación aconseja
      aconsejó sugiere sugirió propone propuso propuesta propongo`,
    wish: `quiere quieren quería quisiera querría gustaría espera esperan desea prefiere prefieren
      deseos queremos deseo desean prefiero ojalá dispuesto dispuesta quiero`,
    permission: `puede pueden podrá podrán permite permitido permiten autorizado permitió podía
      podían puedo puedes podemos pueda puedan podamos pudo pudieron`,
    intention: `planea planean planeo pienso piensan pretendo pretenden piensa pretende prevé
      previsto prevista promete prometió prometido planeado intención`,
    condition: 'si salvo',
    cause: 'porque debido causa causó provocó motivo razón gracias consecuencia resultado culpa',
    all: 'todo toda todos todas siempre cada ambos ambas entero entera completamente',
    only: 'solo sólo solamente únicamente exclusivamente único única',
    most: 'mayoría mayormente normalmente',
    half: 'mitad medio media',
    almost: 'casi apenas',
    before: 'antes anterior previamente',
    after: 'después posterior tras luego',
    until: 'hasta',
    since: 'desde',
    more: 'más mayor mejor mayores',
    less: 'menos menor peor menores',
    future: 'será serán',
    past: 'era eran fue fueron había estaba',
  },
  phrases: {
    obligation:
      // `Se debe a` states a cause, not an obligation.
      new RegExp(
        String.raw`\b(?<!\bse )deb(?:e|en|ía|ían|erá|erán|emos|o)\b|` +
          String.raw`\b(?:tiene|tienen|tenía|hay|tenemos|tengo|tuvo) que\b`,
        'u',
      ),
    all: /\b(?:l[oa]s|mis|sus|nuestr[oa]s) (?:dos|2)\b/u,
    negation: /\bya no\b|\ben lugar de\b|\ben vez de\b/u,
    possibility: /\bpuede que\b|\btal vez\b|\ba lo mejor\b/u,
    former: /\b(?:antes(?! de)|antiguamente|ya no|solía)\b/u,
    request: /\bpor favor\b|\busted(?:es)?\b/u,
    future: /\b(?:voy|vas|va|vamos|van) a \p{L}+[aei]r(?:l[aeo]s?|se|me|nos)?(?!\p{L})/u,
    cause:
      /\b(?:ya que|se deb(?:e|en|ió|ía) a|por eso|puesto que|por lo que|para que|como|así que)\b/u,
  },
  opposites: 'desde hasta, sobre bajo',
  first: 'yo me mi mis nos nuestro nuestra nuestros nuestras nosotros conmigo',
  scales: 'largo ancho alto profundo fondo',
  third: 'él ella ellos ellas lo la le les se su sus este esta eso',
  auxiliary: 'fue fueron es son será serán sido siendo era eran ha han',
  participle: /(?:ado|ada|ados|adas|ido|ida|idos|idas|to|ta|tos|tas|cho|cha)$/u,
  saying: `
    señala señaló anuncia anunció avisa avisó aclara aclaró indica indicó declara declaró dice dijo
    afirma afirmó explica explicó informa informó comenta comentó insiste insistió queja quejó
    admite admitió añade añadió subraya subrayó recuerda recordó describe describió advierte
    advirtió escribe escribió calcula calculó estima confirma confirmó responde respondió pregunta
    preguntó reconoce reconoció agradece agradeció cuenta contó
  `,
  same: SAME,
  stem: spanishStem(),
};

/** Removes accents, since forms of one word may differ in them. */
function spanishStem(): (word: string) => string {
  const snowball = createStem('spanish');
  return (word) =>
    snowball(word)
      .normalize('NFD')
      .replaceAll(/[\u0300\u0301]/gu, '')
      .normalize('NFC');
}
