import { refused } from '../../meter/stop.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestObject } from '../../value/guest-object.ts'

/** The only locale, so that texts are the same on every machine. */
const LOCALES: readonly Guest[] = [undefined, 'en-US', 'en']

/** Refuses a locale that texts cannot be written for: a wrong text would look like a right one. */
export function checkLocale(given: Guest, method: string): void {
  const wanted = given instanceof GuestArray ? given.items[0] : given
  if (LOCALES.includes(wanted)) return
  const named = typeof wanted === 'string' ? `the locale "${wanted.slice(0, 40)}"` : 'this locale'
  throw refused(`${method} does not know ${named}, only "en-US". Write the text with toFixed, padStart and templates.`)
}

/** The options that were given, by name; one that is not among the known ones ends the program. */
export function localeOptions(given: Guest, known: readonly string[], method: string): ReadonlyMap<string, Guest> {
  const options = new Map<string, Guest>()
  if (given === undefined) return options
  if (!(given instanceof GuestObject)) throw refused(`The options of ${method} are an object.`)
  for (const key of given.listKeys()) {
    const value = given.get(key)
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
