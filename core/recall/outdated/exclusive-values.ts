/** Groups of values that exclude each other. Each line is one value, in four languages. */
export const EXCLUSIVE_VALUES: readonly (readonly string[])[] = [
  [
    'window, fenster, fensterplatz, fensterplätze, ventana, ventanilla, 靠窗',
    'aisle, gang, gangplatz, gangplätze, pasillo, 过道, 走廊',
    'middle seat, mittelplatz, asiento central, 中间座',
  ],
  [
    'bike, bicycle, cycle, fahrrad, rad, bici, bicicleta, 自行车, 骑车',
    'car, drive, auto, coche, carro, 开车',
    'bus, autobús, bús, 公交, 公交车, 巴士',
    'train, zug, bahn, tren, 火车, 高铁',
    'tram, straßenbahn, tranvía, 电车',
    'subway, metro, underground, u-bahn, 地铁',
    'on foot, walk, zu fuß, andando, a pie, caminando, 走路, 步行',
    'scooter, roller, patinete, moto, 电动车, 摩托车',
  ],
  [
    'black, schwarz, negro, 黑咖啡, 黑的',
    'milk, oat milk, cream, milch, hafermilch, leche, 牛奶, 加奶, 燕麦奶',
    'with sugar, mit zucker, con azúcar, 加糖',
    'without sugar, no sugar, ohne zucker, sin azúcar, 不加糖, 无糖',
    'decaf, entkoffeiniert, descafeinado, 低因',
  ],
  ['hot, warm, heiß, caliente, 热, 热的', 'iced, cold, eis, kalt, frío, helado, 冰, 冰的'],
  ['coffee, kaffee, café, 咖啡', 'tea, tee, té, 茶'],
  [
    'vegan, vegana, vegano, veganer, veganerin, 纯素',
    'vegetarian, vegetarier, vegetarierin, vegetariana, vegetariano, 吃素, 素食',
    'meat, steak, fleisch, carne, 肉, 吃肉',
    'pescatarian, fish, fisch, pescado, 鱼',
  ],
  [
    'cash, bargeld, in bar, efectivo, 现金',
    'card, credit card, karte, kreditkarte, tarjeta, 刷卡, 信用卡',
    'paypal, bizum, venmo, wechat pay, alipay, 微信支付, 支付宝',
    'invoice, rechnung, factura, 发票',
  ],
  [
    'email, e-mail, mail, correo, 邮件, 邮箱',
    'phone, call, telefon, anruf, teléfono, 电话',
    'text, sms, mensaje, 短信',
    'whatsapp, signal, telegram, threema, wechat, 微信',
    'slack, teams, discord, 钉钉, 飞书',
    'letter, post, brief, carta, 信件',
  ],
  [
    'work number, work phone, dienstnummer, diensthandy, número del trabajo, 工作电话, 工作手机',
    'private number, personal number, private phone, privatnummer, privathandy, 私人电话, 私人手机',
  ],
  [
    'rent, renting, miete, alquiler, 租房, 租的',
    'bought, own house, eigentum, gekauft, comprado, comprada, propia, 自己买, 买的',
  ],
  [
    'single, soltera, soltero, ledig, 单身',
    'dating, boyfriend, girlfriend, freund, freundin, novio, novia, 男朋友, 女朋友, 对象',
    'engaged, engagement, verlobt, prometida, prometido, 订婚',
    'married, wedding, verheiratet, geheiratet, casada, casado, casó, casamos, 结婚',
    'divorced, geschieden, divorciada, divorciado, 离婚',
    'widowed, verwitwet, viuda, viudo',
  ],
  [
    'daycare, kindergarten, nursery, kita, guardería, 幼儿园',
    'primary school, grundschule, eingeschult, primaria, 小学',
    'middle school, instituto, gymnasium, 初中, 中学',
    'high school, bachillerato, 高中',
    'college, university, uni, studium, universidad, 大学',
  ],
  [
    'full-time, full time, vollzeit, jornada completa, 全职',
    'part-time, part time, teilzeit, media jornada, 兼职',
    'retired, rente, jubilada, jubilado, 退休',
    'unemployed, arbeitslos, desempleado, desempleada, en paro, 失业',
    'freelance, selbstständig, freiberuflich, autónomo, autónoma, 自由职业',
    'student, studiere, estudiante, 学生',
  ],
  [
    `
      mornings, morning, early shift, early shifts, morgens, vormittags, frühschicht,
      frühdienst, por la mañana, mañanas, turno de mañana, 早上, 上午, 早班
    `,
    `
      work days, day shift, day shifts, daytime, during the day, tagsüber, tagschicht, de día,
      turno de día, 白天, 白班
    `,
    'noon, lunchtime, mittags, mediodía, 中午',
    'afternoons, afternoon, nachmittags, por la tarde, tardes, 下午',
    'evenings, evening, late shift, late shifts, abends, spätschicht, spätdienst, 晚上',
    `
      nights, night shift, night shifts, nachts, nachtschicht, nachtdienst, por la noche,
      de noche, noches, turno de noche, 夜里, 夜班
    `,
  ],
  [
    'oil, öl, gasóleo, 柴油',
    'gas, gasheizung, 燃气, 煤气',
    'heat pump, wärmepumpe, bomba de calor, aerotermia, 热泵',
    'wood, holz, pellets, leña, 木柴',
    'electric, elektro, eléctrico, 电动',
    'diesel, diésel, petrol, benzin, benziner, gasolina, 汽油',
  ],
  [
    'from home, remote, remotely, homeoffice, home office, teletrabajo, desde casa, 在家办公, 居家, 远程',
    'office, on site, büro, vor ort, oficina, presencial, 办公室, 现场',
  ],
  [
    'online, virtual, per video, en línea, 线上',
    'in person, face to face, in präsenz, persönlich, en persona, 线下, 面对面',
  ],
  [
    'dark mode, dark theme, dunkelmodus, modo oscuro, 深色, 深色模式',
    'light mode, light theme, hellmodus, modo claro, 浅色, 浅色模式',
  ],
  [
    'metric, celsius, kilometers, metrisch, métrico, 公制, 摄氏',
    'imperial, fahrenheit, miles, imperiales, 英制, 华氏',
  ],
  [
    'bullet points, bullets, lists, stichpunkte, stichpunkten, viñetas, listas, 列表, 要点',
    'paragraphs, prose, full sentences, fließtext, ganze sätze, prosa, párrafos, 段落',
  ],
  [
    'short, brief, concise, kurz, knapp, breves, breve, cortas, corto, 简短',
    'long, detailed, ausführlich, lang, detallado, detalladas, largas, largo, 详细',
  ],
  [
    'glasses, brille, gafas, lentes, 眼镜',
    'contacts, contact lenses, kontaktlinsen, lentillas, 隐形眼镜',
  ],
  [
    'daily, every day, täglich, jeden tag, a diario, cada día, 每天',
    'weekly, every week, once a week, wöchentlich, cada semana, 每周',
    'every other week, biweekly, alle zwei wochen, cada dos semanas, 每两周',
    'monthly, monatlich, cada mes, 每月, 每个月',
  ],
  ['on paper, auf papier, en papel, 纸质', 'pdf, pdfs, digitally, electronically, digital, 电子版'],
  ['iphone, ios, 苹果', 'android, pixel, galaxy, 安卓'],
  [
    'small, size s, klein, pequeña, pequeño, 小号',
    'medium, size m, mediana, mediano, 中号',
    'large, size l, groß, grande, 大号',
  ],
];

/** Groups of products of which people use one at a time. Each line is one product. */
export const EXCLUSIVE_PRODUCTS: readonly (readonly string[])[] = [
  [
    'postgres, postgresql',
    'mysql, mariadb',
    'sqlite',
    'mongodb, mongo',
    'oracle',
    'sql server, mssql',
    'dynamodb',
    'cassandra',
  ],
  ['redis', 'valkey', 'memcached'],
  ['kafka', 'rabbitmq', 'nats', 'sqs'],
  ['elasticsearch', 'opensearch', 'solr', 'meilisearch', 'algolia'],
  ['lastpass', 'bitwarden', '1password', 'dashlane', 'keepass, keepassxc', 'nordpass'],
  ['slack', 'teams', 'discord', 'mattermost', 'zulip', '钉钉', '飞书', '企业微信'],
  ['zoom', 'google meet', 'webex', 'jitsi', 'skype', '腾讯会议'],
  ['jira', 'linear', 'asana', 'trello', 'clickup', 'basecamp', 'youtrack'],
  ['jenkins', 'github actions', 'gitlab ci', 'circleci', 'travis', 'teamcity', 'buildkite'],
  ['github', 'gitlab', 'bitbucket', 'codeberg', 'gitee'],
  ['aws', 'azure', 'google cloud, gcp', 'hetzner', 'heroku', '阿里云', '腾讯云'],
  ['vs code, vscode', 'vim, neovim', 'emacs', 'intellij', 'pycharm', 'sublime'],
  ['chrome', 'firefox', 'safari', 'vivaldi'],
  ['windows', 'macos', 'linux, ubuntu, debian, fedora'],
  ['react', 'vue', 'angular', 'svelte'],
  ['stripe', 'adyen', 'braintree', 'mollie', 'paypal'],
  ['spotify', 'apple music', 'tidal', 'deezer', '网易云'],
  ['quickbooks', 'xero', 'freshbooks', 'datev', 'lexoffice', 'sevdesk'],
  ['gmail', 'outlook', 'proton mail, protonmail', 'fastmail', 'gmx'],
  ['mailchimp', 'brevo', 'substack', 'mailjet'],
  ['photoshop', 'gimp', 'affinity'],
  ['notion', 'obsidian', 'evernote', 'onenote', '印象笔记'],
];
