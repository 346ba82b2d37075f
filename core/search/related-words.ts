/**
 * Maps words of questions to words of the memories and turns that answer them: a city is where a
 * person lives. Applies only to a question word that nothing in the scope has, so that the written
 * words decide if they can. An embedding model knows such relations and more; hashed vectors know
 * none.
 */

/**
 * One group per line, of English, German, Spanish or Chinese. Each word is written as the term that
 * the analyzer makes of it ("citi" for "city"), so that a search thread loads no stemmer.
 */
export const RELATED_GROUPS = `
work job profess occup career employ employe
birthday born birth age old
parent mother father mum mom dad
bicycl bike cycl
like love prefer favorit favourit enjoy
sport train run marathon swim footbal tenni volleybal
name call
phone telephon mobil
languag speak
studi univers colleg degre cours learn
teach teacher lesson class
repli answer respond
deploy releas ship rollout
launch releas ship start
databas postgresql postgr mysql sqlite mongodb
own owner respons maintain charg
appoint meet visit
commut train bus tram
holiday vacat trip travel excurs journey
afraid fear scare
math mathemat
close shut until
geburtstag geboren alter alt
geschwist bruder schwester
allergi allergisch vertragt vertragen unvertraglich laktos milch
mag mogen gern lieber bevorzugt liebt
cumpleano cumpl nacio nacimiento edad
hermano hermana
gusta prefier favorito favorita encanta
生活 住在 我住 居住 城市 住 搬家 搬到 搬去
工作 职业 上班 当
宠物 猫 狗
喜欢 爱吃 爱喝 最爱
过敏 不能
live resid home base locat citi town countri address move flat apart hous
work job profess occup career employ offic compani firm
boss manag supervisor report chief director head
colleagu cowork team staff crew mate
apprentic traine intern student junior learner
marriag husband wife spous partner wed marri groom bride
sibl brother sister twin
child children kid son daughter babi toddler boy girl
grandchild grandson granddaught nana grandma grandpa grandmoth grandfath gran granni grandad
relat aunt uncl cousin niec nephew famili
pet anim cat dog rabbit parrot hamster puppi kitten
hors mare poni stallion foal
cattl cow calf bull sheep lamb goat pig hen
car drive vehicl van truck lorri motor
eat food diet meal vegetarian vegan cook serv lunch dinner breakfast dish menu
drink coffe tea juic wine beer water
dessert cake sweet pie pud cooki pastri
meat beef pork chicken ham sausag
fish salmon tuna trout shellfish shrimp
allergi allerg intoler toler rash swell
ill sick diseas flu fever infect ailment diagnosi
pain hurt sore ach
doctor physician surgeon nurs hospit clinic
surgeri oper
medicin drug pill tablet dose medic prescript inject
dentist tooth teeth
therapi physio physiotherapist treatment treat
dislik hate avoid refus
hobbi leisur play collect pastim
instrument piano guitar violin cello drum flute trumpet
music song tune concert choir sing band
cost price pay fee rent spend charg rate
money cash budget pound dollar euro grant fund
earn wage salari incom pay paid take revenu
loan debt owe credit mortgag bank
email mail letter
school pupil teacher class lesson grade
exam test pass fail result mark
secret credenti password key token vault code pin
fli flight plane airport
hotel hostel lodg accommod stay
buy purchas order bought
sell sold sale
supplier vendor seller dealer shop store
custom client buyer guest
replac swap instead successor
begin start kick
finish end complet done
cancel call drop
postpon delay push move shift
broke broken damag crack snap fault fail
repair fix mend
build built builder construct erect
carpent joiner timber wood oak
paint colour color coat
roof tile slate thatch
floor carpet parquet
kitchen oven stove fridg
garden yard plot soil
plant flower tree seed grow
fruit appl pear plum cherri berri
veget potato tomato carrot onion bean
harvest crop pick yield
cloth dress shirt coat jacket trouser
shoe boot trainer sandal
tool hammer saw drill
machin devic gadget applianc equip
comput laptop server machin
pictur photo photograph imag camera
book novel read author
write wrote draft text
film movi cinema seri
play theatr theater stage actor actress premier curtain
parti celebr anniversari
funer die death dead pass
church parish priest vicar
storm rain snow wind frost
earli morn dawn
even night dusk
short brief concis
long lengthi detail
list bullet tabl layout format
explain describ detail
advis advic suggest recommend
glue adhes stick bond
cloth fabric wool cotton linen
weight weigh heavi kilo gram pound
size big larg small area acr
high height tall
distanc far kilometr mile
temperatur warm hot cold degre
lock padlock safe door
lend lent borrow loan return
gift present give gave
win won prize award medal
lose lost miss
insur polici cover
tax return audit
contract agreement sign
deadlin due latest
inspect inspector audit check
neighbour neighbor
friend mate pal
leader captain chair presid
employe worker hire
quit resign leav left
retir pension
hair haircut barber
glass sight eye
hear ear
leg knee foot ankl
hand finger thumb wrist arm
back spine shoulder
skin cream scar
throat voic
heart puls pacemak
room bedroom studio
boat ship ferri sail
bread flour bake loaf
sugar honey jam sweet
leben wohn wohnen wohnst wohnt lebt stadt zuhaus adress wohnung haus umziehen umgezogen gezogen
arbeit arbeitet arbeiten beruf job stell tatig firma betrieb
kind kinder sohn tochter babi bub jung madchen
enkel enkelin enkelkind opa oma großvater großmutter
verheiratet heirat mann frau ehemann ehefrau hochzeit
eltern mutter vater mama papa
verwandt tant onkel cousin neff nicht
haustier hund katz tier kater welp
pferd stute wallach fohlen
rind kuh kalb schaf zieg
sport volleybal fußball tenni joggen schwimmen train
allergi allergisch vertragen unvertraglich laktos milch ausschlag
essen isst ernahrung vegetarisch vegetarierin vegetari vegan gericht teller abendessen
trinken trinkt kaffe tee saft wein bier getrank
krank krankheit erkaltung gripp fieber infekt
schmerzen weh schmerz
arzt arztin doktor krankenhaus klinik praxi
oper operiert eingriff
medika tablett tabletten dosi spritz arznei pill
behandeln behandelt behandlung therapi
hassen hass ablehnen verabscheuen
heißt name namen
kosten kostet prei miet bezahlt zahlen gebuhr
geld euro budget summ betrag
verdienen verdient gehalt lohn stundenlohn
auto wagen fahrt fahrzeug
zug bahn bus straßenbahn
chef chefin vorgesetzt leiter leiterin
kolleg kollegin mitarbeit team
lehrl azubi ausbildung gesell praktik
schule lehrer lehrerin klass unterricht
prufung klausur examen bestanden note zeugni
studium studieren uni universitat semest fach
anfangen beginnen start beginn angefangen
aufhoren beenden fertig end schluss
verschieben verschoben verlegt termin datum
absagen abgesagt ausgefallen gestrichen
kundigen gekundigt weggehen verlassen
nachfolg ersetzen ersatz statt stell neue
liefer handler laden geschaft
kund kundin kundschaft kaufer
kaufen gekauft bestellt anschaffen
verkaufen verkauft
kaputt defekt gebrochen beschadigt
reparieren reparatur flicken
bauen gebaut errichten baustell
farb gestrichen anstrich lack
holz eich ficht brett bohlen
dach ziegel
boden parkett teppich
kuch herd ofen
garten beet pflanzen pflanz
obst apfel birn kirsch
gemus kartoffel tomat
kleidung hose hemd jack kleid
schuhe stiefel
werkzeug hammer sage bohrer
gerat maschin apparat
rechner comput laptop server
foto bild kamera
buch roman lesen autor
schreiben geschrieben entwurf text
film kino seri
musik lie konzert chor singen
instrument klavier geig orgel gitarr
feier fest parti feiern einweihung
kirch pastor pfarrer gottesdienst geistlich bischof
wetter regen schnee sturm
morgen fruh vormittag
abend nacht
urlaub reis ferien ausflug fahrt
hotel unterkunft ubernachten zimmer
kurz knapp stichpunkt
list aufzahlen tabell
raten geraten empfehlen empfohlen vorschlag vorschlagen rat
gewicht wiegen schwer kilo gramm
große groß klein quadratmet
temperatur warm kalt grad heizung
schloss tur schlussel tresor code pin passwort kennwort
leihen ausgeliehen geliehen zuruckgeben
geschenk schenken geschenkt mitbringen
gewinnen gewonnen prei pokal
versicherung versichert
steuer finanzamt
vertrag unterschrieben unterschreiben
rent ruhestand pensioniert
nachbar nachbarin
freund freundin
grupp verein mannschaft
knie bein fuß
hand finger daumen arm
rucken schulter
herz pul
gestorben tot tod beerdigung
treffen trifft besprechung sitzung
lernen uben gelernt
vivir vivo vive resid ciudad casa domicilio vivienda piso mudars mudado mude mudamo mudanza
trabajo trabaja trabajar profes empleo oficio empresa
cumpleano cumplo nacio nacimiento edad
hijo hija nino nina chico chica pequeno
nieto nieta abuelo abuela
casado casada esposo esposa marido boda
padr madr mama papa
familia tio tia primo prima sobrino sobrina
mascota perro gato anim
caballo vaca oveja
odio detesto evitar evito
alergia alergico alergica intolerant celiaca
comer come comida vegetariano vegetariana marisco cena plato menu
beber bebe cafe te vino cerveza agua
postr tarta dulc pastel
enfermo enfermedad gripe fiebr
dolor duel
medico doctor doctora hospit clinica enfermera
operacion operar operaron cirugia quirofano
medicina pastilla medicamento dosi remedio
llama nombr apellido
precio cuesta costo costar pagar pago cobra cobrar tarifa
dinero euro peso presupuesto cantidad plata
ganar gana sueldo salario
coch carro auto vehiculo camioneta
tren autobus bus metro
jefe jefa director encargado
companero companera colega equipo
aprendiz practica alumno alumna
escuela colegio profesor profesora clase
examen prueba aprobado aprobo nota
estudia estudiar universidad carrera curso idioma
empezar empieza comenzar inicio
terminar acabar final termino
cambiar cambio aplazar mover retrasar
cancelar cancelo suspend
reemplazar sustituir lugar vez
proveedor tienda vendedor
client clienta comprador
comprar compro compramo
vender vendio vendimo
roto rompio averia averiado
arreglar reparar arreglo
construir obra albanil construccion
pintar pintura color
madera robl tabla
tejado techo teja
suelo piso alfombra
cocina horno
jardin huerto planta
fruta manzana pera naranja
verdura patata tomat
ropa vestido camisa chaqueta
zapato bota
herramienta martillo sierra
aparato maquina equipo
ordenador computadora portatil
foto retrato imagen camara
libro novela leer autor
escribir escribio carta texto
pelicula cine seri
musica cancion concierto coro cantar
instrumento piano guitarra violin
fiesta celebracion celebrar
iglesia cura parroquia misa
tiempo lluvia niev tormenta
manana temprano
tard noch
viaj vacacion viajar excurs
hotel alojamiento
breve corto corta resumen
lista punto tabla
aconsejar recomendar sugerir consejo recomendo
peso pesa kilo gramo
tamano grand metro
calor frio grado temperatura
llave clave contrasena puerta candado codigo
prestar presto prestado devolv
regalo regalar
premio gano trofeo medalla
seguro poliza
impuesto hacienda
contrato firmar firmo
jubilacion jubilado jubilars
vecino vecina
amigo amiga
lider capitana capitan presidenta
rodilla pierna pie
mano dedo brazo
espalda hombro
corazon marcapaso
murio muert funer
reunion reunir cita quedar
dormir duerm cama
生活 居住 城市 住在 我住 搬家 搬到 搬去 房子
工作 职业 上班 公司 单位
生日 出生 岁数 年纪
孩子 女儿 儿子 宝宝
孙子 孙女 爷爷 奶奶 外婆 外公
结婚 丈夫 妻子 老公 老婆 先生 太太 老伴 爱人 婚礼
父母 爸爸 妈妈 父亲 母亲
亲戚 表妹 表弟 堂弟 姑姑 叔叔 舅舅
哥哥 弟弟 姐姐 妹妹
运动 跑步 游泳 打球 锻炼
讨厌 不吃 不喝 忌口
吃饭 晚饭 早饭 午饭 菜单
生病 感冒 发烧 医院 大夫 医生
手术 开刀 住院
吃药 药片 一粒 剂量
价格 多少 价钱 涨价 收费
房租 租金 租房
工资 工钱 收入 流水 营业
汽车 开车 车子
火车 地铁 公交 高铁
老板 领导 上司 导师
同事 同学 室友
学校 小学 中学 大学 上学 念书
老师 班主 教授
考试 成绩 分数
开始 开张 开业
结束 完成 做完
推迟 改到 挪到 延期 提前
取消 不办
辞职 离职 不干 走了
换成 改成 代替 接手
供应 店铺 商店 铺子
客人 顾客 客户
买了 购买 订了
卖掉 卖了
坏了 裂了 故障
修理 维修 修好
装修 施工 工人
颜色 油漆 刷
厨房 锅 砂锅
花园 种花 植物
水果 苹果 芒果
衣服 裤子 外套
电脑 手机 平板
照片 相片 拍照 相机
读书 小说 作者
写字 题字 书法
电影 电视
唱歌 音乐 合唱
钢琴 小提 吉他
过年 春节 除夕
下雨 下雪 台风
早上 上午 早晨
晚上 夜里 傍晚
星期 礼拜 周末
旅行 旅游 出差
酒店 宾馆 旅馆
简短 一句 简洁
表格 列表 清单
推荐 建议 主意 办法
重量 公斤 斤
面积 平方 平米
密码 钥匙 口令
借给 借来 归还
礼物 送给
比赛 名次 冠军 奖
保险 理赔
合同 签字 签约
退休 养老
邻居 隔壁
朋友 好友
膝盖 腿 脚
眼睛 白内 视力
去世 葬礼 上坟 扫墓
开会 会议 见面 碰头
睡觉 失眠
`;

/** Keyed by term, in the form of the analyzer. */
const RELATED: ReadonlyMap<string, readonly string[]> = termsOfGroups(RELATED_GROUPS);

/** Returns each term with the other terms of its groups. @param groups one per line */
function termsOfGroups(groups: string): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, ReadonlySet<string>>();
  for (const line of groups.trim().split('\n')) {
    const group = new Set(line.split(' '));
    for (const term of group) related.set(term, group.union(related.get(term) ?? new Set()));
  }
  return new Map(
    [...related].map(([term, group]) => [term, [...group].filter((other) => other !== term)]),
  );
}

/** Returns terms that memories and turns may use instead of a question's term; none for most. */
export function relatedWords(term: string): readonly string[] {
  return RELATED.get(term) ?? [];
}
