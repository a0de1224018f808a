/** The supported locales. Their data is built in, so that formatted texts are the same on every machine. */
export type LocaleTag = 'en-US' | 'en-GB' | 'de-DE' | 'fr-FR'

const TAGS: ReadonlyMap<string, LocaleTag> = new Map<string, LocaleTag>([
  ['en', 'en-US'],
  ['en-us', 'en-US'],
  ['en-gb', 'en-GB'],
  ['de', 'de-DE'],
  ['de-de', 'de-DE'],
  ['fr', 'fr-FR'],
  ['fr-fr', 'fr-FR'],
])

/** The locale of a tag, if there is data for it. */
export function knownLocale(tag: string): LocaleTag | undefined {
  return TAGS.get(tag.toLowerCase())
}

/** How a locale writes numbers. */
export interface NumberData {
  readonly decimal: string
  readonly group: string
  /** The text between a number and `%`. */
  readonly percentSpace: string
  /** Whether the currency symbol is written before the number. */
  readonly isSymbolFirst: boolean
  /** Whether negative amounts of an account are in brackets. */
  readonly hasBrackets: boolean
  /** Symbols of currencies, `USD$`; of all others the code is written. */
  readonly symbols: string
  /** Suffixes of 10^3, 10^6, 10^9 and 10^12. */
  readonly compact: readonly [string, string, string, string]
}

const NBSP = '\u00a0'
const SHARED = 'BRLR$ EUR€ ILS₪ INR₹ KRW₩ VND₫ XAFFCFA XCGCg.'
const ENGLISH = `${SHARED} AUDA$ CADCA$ CNYCN¥ GBP£ HKDHK$ MXNMX$ NZDNZ$ PHP₱ TWDNT$ XCDEC$ XPFCFPF`

export const NUMBERS: Readonly<Record<LocaleTag, NumberData>> = {
  'en-US': {
    decimal: '.',
    group: ',',
    percentSpace: '',
    isSymbolFirst: true,
    hasBrackets: true,
    symbols: `${ENGLISH} JPY¥ USD$`,
    compact: ['K', 'M', 'B', 'T'],
  },
  'en-GB': {
    decimal: '.',
    group: ',',
    percentSpace: '',
    isSymbolFirst: true,
    hasBrackets: true,
    symbols: `${ENGLISH} JPYJP¥ USDUS$`,
    compact: ['k', 'm', 'bn', 'tn'],
  },
  'de-DE': {
    decimal: ',',
    group: '.',
    percentSpace: NBSP,
    isSymbolFirst: false,
    hasBrackets: false,
    symbols: `${SHARED} AUDAU$ CADCA$ CNYCN¥ GBP£ HKDHK$ JPY¥ MXNMX$ NZDNZ$ THB฿ TWDNT$ USD$ XCDEC$ XPFCFPF`,
    compact: ['', `${NBSP}Mio.`, `${NBSP}Mrd.`, `${NBSP}Bio.`],
  },
  'fr-FR': {
    decimal: ',',
    group: '\u202f',
    percentSpace: NBSP,
    isSymbolFirst: false,
    hasBrackets: true,
    symbols: `${SHARED} ARS$AR AUD$AU BMD$BM BND$BN BZD$BZ CAD$CA CLP$CL COP$CO FJD$FJ FKP£FK GBP£GB GIP£GI LBP£LB MXN$MX NAD$NA NZD$NZ SBD$SB SGD$SG SRD$SR TTD$TT USD$US UYU$UY WST$WS XPFFCFP`,
    compact: [`${NBSP}k`, `${NBSP}M`, `${NBSP}Md`, `${NBSP}Bn`],
  },
}

/** Symbols that only `currencyDisplay: 'narrowSymbol'` writes. */
export const NARROW: ReadonlyMap<string, string> = new Map(
  'USD$ AUD$ CAD$ NZD$ HKD$ MXN$ SGD$ EUR€ GBP£ JPY¥ CNY¥ INR₹ KRW₩ BRLR$ CZKKč DKKkr HUFFt ILS₪ NOKkr PLNzł RUB₽ SEKkr THB฿ TRY₺ UAH₴ VND₫ ZARR'
    .split(' ')
    .map((one) => [one.slice(0, 3), one.slice(3)]),
)

const ODD_DIGITS =
  'AFN0 ALL0 BHD3 BIF0 CLP0 COP0 DJF0 GNF0 HUF0 IDR0 IQD0 IRR0 ISK0 JOD3 JPY0 KMF0 KPW0 KRW0 KWD3 LAK0 LBP0 LYD3 MGA0 MMK0 OMR3 PKR0 PYG0 RWF0 SLL0 SOS0 SYP0 TND3 UGX0 VND0 VUV0 XAF0 XOF0 XPF0 YER0'

/** Decimal places of currencies that do not have two. */
export const CURRENCY_DIGITS: ReadonlyMap<string, number> = new Map(
  ODD_DIGITS.split(' ').map((one) => [one.slice(0, 3), Number(one[3])]),
)

/** How a locale writes dates. In patterns, E is the weekday, y the year, M the month and d the day. */
export interface DateData {
  readonly months: readonly string[]
  readonly shortMonths: readonly string[]
  /** Names of months without a day. */
  readonly loneMonths: readonly string[]
  readonly days: readonly string[]
  readonly shortDays: readonly string[]
  readonly loneDays: readonly string[]
  /** Patterns by the fields: `yMd` with a month in digits, `yMMMd` with one in letters. */
  readonly patterns: Readonly<Record<string, string>>
  /** The text between a date and a time, for a date with a long month, a short month, or digits. */
  readonly glue: Readonly<Record<'long' | 'short' | 'digits', string>>
  readonly isTwelve: boolean
  /** The suffix of an hour without minutes. */
  readonly hourSuffix: string
  readonly halves: readonly [am: string, pm: string]
  readonly utc: string
  /** Styles of dates: `full`, `long`, `medium` and `short`. */
  readonly styles: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const list = (text: string): readonly string[] => text.split(' ')

const LONG = { year: 'numeric', month: 'long', day: 'numeric' }
const MEDIUM = { year: 'numeric', month: 'short', day: 'numeric' }
const TWO = { month: '2-digit', day: '2-digit' }
const words = {
  months: list('January February March April May June July August September October November December'),
  shortMonths: list('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
  days: list('Sunday Monday Tuesday Wednesday Thursday Friday Saturday'),
  shortDays: list('Sun Mon Tue Wed Thu Fri Sat'),
}
const britishMonths = list('Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec')
const frenchMonths = list('janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.')
const frenchDays = list('dim. lun. mar. mer. jeu. ven. sam.')

export const DATES: Readonly<Record<LocaleTag, DateData>> = {
  'en-US': {
    ...words,
    loneMonths: words.shortMonths,
    loneDays: words.shortDays,
    patterns: {
      ...{ d: 'd', M: 'M', Md: 'M/d', MMM: 'M', MMMd: 'M d', y: 'y', yM: 'M/y', yMd: 'M/d/y', yMMM: 'M y' },
      ...{ yMMMd: 'M d, y', E: 'E', Ed: 'd E', EMd: 'E, M/d', EMMMd: 'E, M d', EyMd: 'E, M/d/y', EyMMMd: 'E, M d, y' },
    },
    glue: { long: ' at ', short: ', ', digits: ', ' },
    isTwelve: true,
    hourSuffix: '',
    halves: ['AM', 'PM'],
    utc: 'Coordinated Universal Time',
    styles: {
      full: { weekday: 'long', ...LONG },
      long: LONG,
      medium: MEDIUM,
      short: { year: '2-digit', month: 'numeric', day: 'numeric' },
    },
  },
  'en-GB': {
    ...words,
    shortMonths: britishMonths,
    loneMonths: britishMonths,
    loneDays: words.shortDays,
    patterns: {
      ...{ d: 'd', M: 'M', Md: 'd/M', MMM: 'M', MMMd: 'd M', y: 'y', yM: 'M/y', yMd: 'd/M/y', yMMM: 'M y' },
      ...{ yMMMd: 'd M y', E: 'E', Ed: 'E d', EMd: 'E d/M', EMMMd: 'E d M', EyMd: 'E, d/M/y', EyMMMd: 'E, d M y' },
    },
    glue: { long: ' at ', short: ', ', digits: ', ' },
    isTwelve: false,
    hourSuffix: '',
    halves: ['am', 'pm'],
    utc: 'Coordinated Universal Time',
    styles: {
      full: { weekday: 'long', ...LONG },
      long: LONG,
      medium: MEDIUM,
      short: { year: 'numeric', ...TWO },
    },
  },
  'de-DE': {
    months: list('Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
    shortMonths: list('Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
    loneMonths: list('Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez'),
    days: list('Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag'),
    shortDays: list('So. Mo. Di. Mi. Do. Fr. Sa.'),
    loneDays: list('So Mo Di Mi Do Fr Sa'),
    patterns: {
      ...{ d: 'd', M: 'M', Md: 'd.M.', MMM: 'M', MMMd: 'd. M', y: 'y', yM: 'M/y', yMd: 'd.M.y', yMMM: 'M y' },
      ...{ yMMMd: 'd. M y', E: 'E', Ed: 'E, d.', EMd: 'E, d.M.', EMMMd: 'E, d. M' },
      ...{ EyMd: 'E, d.M.y', EyMMMd: 'E, d. M y' },
    },
    glue: { long: ' um ', short: ', ', digits: ', ' },
    isTwelve: false,
    hourSuffix: ' Uhr',
    halves: ['AM', 'PM'],
    utc: 'Koordinierte Weltzeit',
    styles: {
      full: { weekday: 'long', ...LONG },
      long: LONG,
      medium: { year: 'numeric', ...TWO },
      short: { year: '2-digit', ...TWO },
    },
  },
  'fr-FR': {
    months: list('janvier février mars avril mai juin juillet août septembre octobre novembre décembre'),
    shortMonths: frenchMonths,
    loneMonths: frenchMonths,
    days: list('dimanche lundi mardi mercredi jeudi vendredi samedi'),
    shortDays: frenchDays,
    loneDays: frenchDays,
    patterns: {
      ...{ d: 'd', M: 'M', Md: 'd/M', MMM: 'M', MMMd: 'd M', y: 'y', yM: 'M/y', yMd: 'd/M/y', yMMM: 'M y' },
      ...{ yMMMd: 'd M y', E: 'E', Ed: 'E d', EMd: 'E d/M', EMMMd: 'E d M', EyMd: 'E d/M/y', EyMMMd: 'E d M y' },
    },
    glue: { long: ' à ', short: ', ', digits: ' ' },
    isTwelve: false,
    hourSuffix: ' h',
    halves: ['AM', 'PM'],
    utc: 'temps universel coordonné',
    styles: {
      full: { weekday: 'long', ...LONG },
      long: LONG,
      medium: MEDIUM,
      short: { year: 'numeric', ...TWO },
    },
  },
}

/** Whether a locale pads numeric months and days to two digits regardless of the requested format, by the fields of the date. */
export function padsDate(
  tag: LocaleTag,
  fields: string,
  month: string,
  day: string,
): readonly [month: boolean, day: boolean] {
  const areBothNumeric = month === 'numeric' && day === 'numeric'
  const none = [false, false] as const
  if (tag === 'de-DE') return fields === 'Md' && month === '2-digit' ? [true, true] : none
  if (tag === 'en-US') return none
  if (fields === 'yM') return [true, false]
  if (fields === 'EMd' || fields === 'EyMd' || (fields === 'Md' && tag === 'fr-FR')) return [true, true]
  return (fields === 'Md' || fields === 'yMd') && areBothNumeric ? [true, true] : none
}
