import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the built page is: beside the built command, or, when it runs from its sources, where the build puts it. */
export function studioFolder(): string {
  const places = ['../studio', '../../../dist/studio'].map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return places.find((place) => existsSync(`${place}/index.html`)) ?? places[1]!
}
