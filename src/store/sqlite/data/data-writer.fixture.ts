import { sqliteData } from './sqlite-data.ts'

/** A process that writes into a shared file: `node data-writer.fixture.ts <path> <name> <count>`. */
const [path, name, count] = process.argv.slice(2)
const data = sqliteData({ path: path! })
const database = data.database()
const memory = data.memory()
for (let index = 0; index < Number(count); index += 10) {
  const numbers = Array.from({ length: 10 }, (_, offset) => index + offset)
  await Promise.all(
    numbers.map((number) =>
      database.write('all', `${name}/${number}`, { text: `word${number} of ${name}` }, { vector: [number + 1, 1] }),
    ),
  )
  await memory.append('stream', `${name} ${index}`)
}
await data.close()
