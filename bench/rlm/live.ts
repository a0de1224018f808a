// The same questions with a real model: `npm run bench:rlm -- openai/gpt-5-mini`, with the provider's key in the environment. Cells over a context, over
// 1,000,000 characters unless another size is given; `loop` as third argument also feeds the input to a plain loop, which costs accordingly.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sectionText } from '../report.ts'
import { measured, tableOf } from '../rlm.ts'
import { TASKS } from './tasks.ts'
import { writeTickets } from './tickets.ts'

const [model, given = '1000000', loop] = process.argv.slice(2)
const size = Number(given)
if (model === undefined || !Number.isSafeInteger(size)) {
  console.error('Usage: npm run bench:rlm -- <provider/model> [characters] [loop]')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'mandate-rlm-'))
try {
  const path = join(folder, 'tickets.txt')
  const answers = writeTickets(path, size)
  const sides = loop === 'loop' ? (['cells', 'loop'] as const) : (['cells'] as const)
  const figures = TASKS.flatMap(({ name, isCellsOnly }) =>
    (isCellsOnly === true ? (['cells'] as const) : sides).map((side) =>
      measured({ size, task: name, side, path, answers, model }),
    ),
  )
  console.log(sectionText({ tables: [tableOf(size, figures)], goals: [] }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
