import { burn } from '../../meter/live.ts'
import { refused } from '../../meter/stop.ts'
import { toText } from '../../value/convert.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { hasProperty, readProperty } from '../../value/prototypes/lookup.ts'
import { type LocaleTag, knownLocale } from '../intl/locales.ts'
import type { FormatOptions } from '../intl/options.ts'

/** Throws for an unsupported locale, because a wrong text would look like a correct one. */
export function checkLocale(given: Guest, method: string): LocaleTag {
  const wanted = given instanceof GuestArray ? given.items[0] : given
  if (wanted === undefined) return 'en-US'
  const known = typeof wanted === 'string' ? knownLocale(wanted) : undefined
  if (known !== undefined) return known
  const named = typeof wanted === 'string' ? `the locale "${wanted.slice(0, 40)}"` : 'this locale'
  throw refused(
    `${method} does not know ${named}, only "en-US", "en-GB", "de-DE" and "fr-FR". Take one of these, or write the text with \`toFixed\`, \`padStart\` and templates.`,
  )
}

/** Returns the given options by name. An unknown option ends the program. */
function localeOptions(given: Guest, known: readonly string[], method: string): ReadonlyMap<string, Guest> {
  const options = new Map<string, Guest>()
  if (given === undefined) return options
  if (!(given instanceof GuestObject)) throw refused(`The options of ${method} are an object.`)
  const inherited = given.extra === null ? [] : known.filter((key) => !given.has(key) && hasProperty(given, key))
  for (const key of [...given.listKeys(), ...inherited]) {
    const value = readProperty(given, key)
    if (value === undefined) continue
    if (!known.includes(key)) {
      const some = known.length === 0 ? 'It takes none' : `It knows ${known.join(', ')}`
      throw refused(
        `${method} does not know the option "${key.slice(0, 40)}". ${some}; write the rest with \`toFixed\`, \`padStart\` and templates.`,
      )
    }
    options.set(key, value)
  }
  return options
}

/** Returns the options as plain data, for a format that stores them. */
export function formatOptions(given: Guest, known: readonly string[], method: string): FormatOptions {
  const options: Record<string, string | number | boolean> = {}
  for (const [key, value] of localeOptions(given, known, method)) {
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    const plain = isPlain ? value : toText(value)
    burn(200)
    options[key] = typeof plain === 'string' ? plain.slice(0, 60) : plain
  }
  return options
}
