// Writes the reference of every public name, and of configuration, results, journal entries and commands, as Markdown into the given folder or
// .cache/reference. `npm run docs` adds the same pages to the site.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { subpathPages } from './docs/reference.ts'
import { topicPages } from './docs/reference-topics.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, '../.cache/reference')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const pages = [...topicPages(), ...subpathPages()]
for (const { path, title, body } of pages) writeFileSync(join(folder, basename(path)), `# ${title}\n\n${body}\n`)
console.log(`reference: ${pages.length} pages in ${folder}`)
