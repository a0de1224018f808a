import { sqliteData } from './sqlite-data.ts'

/** A process that writes until it is killed, and reports each acknowledged write: `node data-killed.fixture.ts <path>`. */
const data = sqliteData({ path: process.argv[2]! })
const [database, memory] = [data.database(), data.memory()]
for (let number = 0; ; number += 1) {
  await Promise.all([
    database.write('all', `k${number}`, { text: `word${number}` }, { vector: [number + 1, 1] }),
    memory.append('stream', number),
  ])
  process.stdout.write(`${number}\n`)
}
