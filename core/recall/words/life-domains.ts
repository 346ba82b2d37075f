/**
 * The domains of life that a question and a statement may be about: medicine, a home, a job.
 * Whoever tells of a change names the domain by the words of the new thing: "Which tablets do I
 * take?" and "The doctor has put me on candesartan" have no word in common. Words are of English,
 * German, Spanish and Chinese; each is written as the term that the analyzer makes of it.
 */
import { rarity } from '../../text/term-statistics.ts';
import { beginning } from './term-index.ts';

/**
 * By domain: words of questions about it, and further words of statements about it. A domain is a
 * bit of `SessionColumns.domains`, so there are at most 16.
 */
const DOMAINS = {
  medicine: {
    asked: `
      medicin medic med drug pill tablet capsul dose dosag prescript painkil inhal insulin inject
      medika medikament medizin arznei arzneimittel tabletten pillen dosi spritz verschrieben
      schmerzmittel schlafmittel abfuhrmittel blutdruckmittel blutverdunn analges analgesico
      praparat einnehmen eingenommen medicamento pastilla pildora receta receto recetaron
      inyeccion remedio tratamiento 药 吃药 药物 药片 剂量 处方 用药 胰岛 降压
      pharmacist chemist nurs apothek farmacia 药店 药师
    `,
    told: `
      pharmacist chemist statin antibiot ibuprofen paracetamol aspirin ointment jab milligram mg
      doctor gp nurs kapsel kapseln tropfen spritzen rezept apothek hausarzt arzt arztin
      nebenwirkung salb capsula comprimido farmacia farmaceutica gota pomada jarab medico medica
      doctora miligramo 胶囊 开药 药店 药师 医生 大夫 毫克 片药 半片 一片 两片 一粒 打针 药膏
    `,
  },
  home: {
    asked: `
      live home hous flat apart address street neighbourhood town rent landlord landladi district
      wohn wohnst wohnt wohnen wohnung zuhaus adress stadtteil viertel miet vermiet umgezogen
      bezirk vivo vive vivimo vivir casa piso departamento domicilio direccion barrio colonia
      alquil renta casero casera 住 住在 家住 房子 房租 租金 房东 小区 地址 搬家 我家
    `,
    told: `
      studio bungalow cottag terrac attic basement storey upstair downstair lift tenant leas
      postcod suburb move flatmat housem roommat balconi bedroom radiat haus mieten gemietet
      mieter stock stockwerk erdgeschoss dachgeschoss trepp treppen aufzug balkon terrass umzug
      gezogen einziehen eingezogen ausgezogen nebenkosten mitbewohn wg vivienda apartamento
      alquilo alquilamo rento rentando inquilino mudanza mude mudamo mudarm ascensor escalera
      balcon habitacion 租客 合租 室友 搬到 搬去 搬来 电梯 阳台 院子 公寓 宿舍 一楼 二楼 三楼 四楼
      五楼 六楼 带院
    `,
  },
  work: {
    asked: `
      work job employ profess occup arbeit arbeitest stell beruf arbeitgeb trabajo trabaja empleo
      empleador 工作 上班 职业 职位
    `,
    told: `
      hire contract shift colleagu cowork manag salari wage interview appli start instructor
      traine apprenticeship probat resign posit promot depot factori warehous overtim angestellt
      eingestellt angefangen vertrag schicht kolleg kollegin kollegen betrieb gehalt bewerbung
      beworben vorstellungsgesprach probezeit gekundigt kundigung abteilung filial vollzeit
      teilzeit contrato turno companero fabrica taller sueldo salario entrevista entr empec
      renunci despidieron cargo plaza nomina jornada almacen 入职 离职 辞职 跳槽 领导 工资 月薪
      面试 试用 夜班 早班 岗位 部门 转正 下班 加班 工厂 升职 compani firm offic firma buro empresa
      oficina 公司 单位 boss chef chefin jefe jefa 老板 同事 puesto 的职
    `,
  },
  phone: {
    asked: `
      phone telephon mobil provid tariff sim landlin internet broadband telefon handi handynumm
      anbiet tarif rufnumm celular movil tarifa 电话 手机 号码 套餐 话费 流量 宽带 机号 运营
    `,
    told: `
      data prepaid whatsapp handset fibr wifi router gigabyt kart guthaben aufladen datenvolumen
      festnetz dato recarga prepago chip fibra 移动 联通 电信 换号 卡号 充值 打给 合约 number
      network plan nummer numero compania linea anschluss
    `,
  },
  vehicle: {
    asked: `
      car drive vehicl van truck wheel auto wagen fahrzeug fahr fahrt fahrst coch carro vehiculo
      camioneta furgoneta moto manejo conduzco 汽车 车子 开车 开的 车牌 座驾
    `,
    told: `
      diesel petrol hybrid hatchback motorbik scooter garag mechan mot tyre engin gearbox mileag
      secondhand kombi transport benzin elektroauto werkstatt tuv reifen getrieb kilometerstand
      kennzeichen motorrad motor gasolina electrico llanta rueda placa matricula conducir 新车
      旧车 二手 电动 油车 混动 摩托 轮胎 发动 修车 提车 卖车 买车 面包 货车 一辆 那辆 这辆
      cambelt clutch brake windscreen windshield roadworthi bremse kupplung zahnriemen freno
      embrague itv 刹车 离合 年检
    `,
  },
  travel: {
    asked: `
      trip holiday vacat travel journey reis reisen verreist urlaub gefahren ausflug wohin viaj
      viajamo viajar vacacion 旅行 旅游 度假 出游
    `,
    told: `
      flight flew airport hotel hostel campsit camp cruis ferri abroad beach sea seasid island
      mountain coast suitcas luggag flug geflogen flughafen ferienwohnung zelten kreuzfahrt meer
      strand insel berg kust weggefahren unterweg koffer vuelo avion aeropuerto hostal crucero
      playa isla montana costa maleta equipaj boleto 机票 飞机 机场 高铁 火车 酒店 民宿 海边 沙滩
      海岛 行李 护照 签证 行程
    `,
  },
  animal: {
    asked: `
      pet anim dog cat puppi kitten haustier tier hund katz mascota animal perro perra gato gata
      宠物 小狗 小猫 狗狗 猫咪 养的
    `,
    told: `
      rabbit hamster parrot budgi tortois poni vet shelter paw bark meow labrador terrier
      dachshund colli hundin welp kater katzchen kaninchen papagei schildkrot tierarzt tierheim
      pfoten bellt schnurrt dackel pudel schaferhund perrito cachorro gatito conejo loro tortuga
      veterinario ladra 养猫 养狗 兔子 仓鼠 鹦鹉 乌龟 领养 收养 绝育 兽医 流浪 橘猫 黑猫 白猫 狗粮
      猫粮 猫砂 猫毛 遛狗 一只
    `,
  },
  music: {
    asked: `
      instrument 乐器 choir chor coro 合唱 band sing singt canta cantant sangerin 主唱
    `,
    told: `
      piano keyboard guitar bass violin viola cello drum flute clarinet saxophon trumpet trombon
      accordion harp ukulel banjo klavier gitarr geig bratsch schlagzeug flote klarinett trompet
      posaun akkordeon harf orgel guitarra bajo chelo bateria flauta saxofon acordeon arpa ukelel
      钢琴 吉他 贝斯 提琴 长笛 萨克 二胡 古筝 琵琶 笛子 rehears singen probe proben
      geprobt noten cantar canto ensayo ensayamo 唱歌 唱团 排练 microphon mikrofon microfono gig 话筒
    `,
  },
  sport: {
    asked: `
      sport exercis gym fit train workout trainier fitnessstudio sportart deport ejercicio
      gimnasio entreno entrenamiento 运动 锻炼 健身
    `,
    told: `
      run ran marathon jog swim swam pool cycl yoga pilat climb footbal tenni badminton basketbal
      netbal rugbi hockey laufen lauf gelaufen joggen halbmarathon schwimmen hallenbad freibad
      radfahren klettern fußball handbal volleybal turnen correr corro maraton nadar nado natacion
      piscina alberca bicicleta bici escalada futbol teni padel basquet 跑步 马拉 游泳 泳池 泳馆
      瑜伽 团课 骑车 打球 羽毛 乒乓 篮球 足球 网球 拳击 晨跑 夜跑 普拉
      row judo karat box fenc golf surf skate ski archeri athlet rudern ruder rudert boxen fechten
      reiten ski ringen leichtathletik remo remar boxeo esgrima esqui patinaj surf atletismo
      balonmano 滑雪 滑冰 划船 跆拳 柔道 击剑 田径
    `,
  },
  weight: {
    asked: `
      weigh weight wiegen wieg wiegt gewogen gewicht pesa pesaba pese pesar 体重
    `,
    told: `
      scale stone kilo kilogram kg lbs waag pfund abgenommen zugenommen bascula balanza adelgac
      engord 公斤 称重 上秤 减肥 瘦了 胖了 腰围
    `,
  },
  lesson: {
    asked: `
      lesson class cours tutor unterricht kur nachhilf clase curso leccion 上课 课程 补课 补习
      辅导 school nurseri kindergarten univers colleg schule kita studium escuela colegio
      guarderia carrera 学校 小学 中学 大学 幼儿
    `,
    told: `
      teacher math lehrer lehrerin volkshochschul maestro maestra profesor academia matematica
      老师 课时 家教 钢琴 琴课 pupil headmast headteach semest degre klass gymnasium grundschul
      studiengang realschul primaria secundaria prepa semestr licenciatura facultad 上学 年级 入学
      转学 专业
    `,
  },
  partner: {
    asked: `
      partner husband wife boyfriend girlfriend marri freund freundin verheiratet marido esposo
      esposa novio novia pareja 丈夫 妻子 老公 老婆 男友 女友 对象 ehemann ehefrau
    `,
    told: `
      fianc engag divorc verlobt hochzeit geschieden getrennt boda comprometida divorciada
      separada separamo 结婚 订婚 离婚 分手
    `,
  },
  money: {
    asked: `
      bank account insur konto versicherung banco cuenta seguro aseguradora 银行 账户 保险
    `,
    told: `
      loan mortgag credit debit polici sparkonto kredit girokonto polic sparkass ahorro prestamo
      hipoteca poliza 存款 贷款 转账 理赔
    `,
  },
} as const;

/** Endings of the names of medicines, the same in most languages, and their form in Chinese. */
const MEDICINE = new RegExp(
  '.(?:pril|sartan|olol|dipina?|statina?|formina?|gliptina?|gliflozina?|glutida?|xaban|prazol|' +
    'cilina?|cillin|micina?|mycin|floxacino?|ciclina|cyclin|profeno?|coxib|triptan|azepam|' +
    'zolam|oxetina?|tralina?|citalopram|isolona?|tiroxina|thyroxin|terol|lukast|conazol|' +
    'semida?|thiazid|tiazida|parina?|gabapentina?)$|沙坦|普利|洛尔|地平|他汀|双胍|格列|西林|' +
    '霉素|沙星|洛芬|拉唑|西泮|曲林|西汀',
  'u',
);

/** The bit of each domain, by the beginnings of its words. */
const ASKED = bitsOf(Object.values(DOMAINS).map(({ asked }) => asked));
const TOLD = bitsOf(Object.values(DOMAINS).map(({ asked, told }) => `${asked} ${told}`));
const MEDICINE_BIT = 1 << Object.keys(DOMAINS).indexOf('medicine');

function bitsOf(lists: readonly string[]): ReadonlyMap<string, number> {
  const bits = new Map<string, number>();
  for (const [domain, list] of lists.entries()) {
    for (const term of list.trim().split(/\s+/u).map(beginning)) {
      bits.set(term, (bits.get(term) ?? 0) | (1 << domain));
    }
  }
  return bits;
}

/** Returns the domains that a term of a statement names, as bits. */
export function domainsNamed(term: string): number {
  const named = TOLD.get(beginning(term)) ?? 0;
  return MEDICINE.test(term) ? named | MEDICINE_BIT : named;
}

/** The domains that a question asks for. */
export interface AskedDomains {
  readonly bits: number;
  /** By the place of its bit: how rare a domain is among all passages. */
  readonly rarities: readonly number[];
}

/**
 * Returns the domains that a question asks for.
 * @param terms of the question
 * @param told the domains of all passages
 */
export function domainsAsked(terms: readonly string[], told: Uint16Array): AskedDomains {
  const bits = terms.reduce((all, term) => all | (ASKED.get(beginning(term)) ?? 0), 0);
  const rarities = Object.keys(DOMAINS).map((_, place) => {
    return (bits & (1 << place)) > 0 ? rarityOf(1 << place, told) : 0;
  });
  return { bits, rarities };
}

function rarityOf(bit: number, told: Uint16Array): number {
  let having = 0;
  for (let at = 0; at < told.length; at += 1) if (((told[at] ?? 0) & bit) > 0) having += 1;
  return rarity(having, told.length);
}

/** Returns how rare the domains of a passage that are asked for are, all together; 0 if none is. */
export function domainRarity({ bits, rarities }: AskedDomains, told: number): number {
  let sum = 0;
  for (let both = bits & told, place = 0; both > 0; both >>= 1, place += 1) {
    if ((both & 1) > 0) sum += rarities[place] ?? 0;
  }
  return sum;
}
