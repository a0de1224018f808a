import { Kernel } from '../../src/run/index.ts'
import type { ApprovalResponse, Engine } from '../../src/run/index.ts'
import { openPlace } from './answer-race-place.ts'
import type { Place } from './answer-race-place.ts'

/** A process that answers approvals: it gets `{ id, answer }` for each round and says what became of it. */
const nowhere: Engine = {
  name: 'nowhere',
  attach: async () => {},
  dispatch: async () => {},
  schedule: async () => {},
  stop: async () => {},
}
const journal = openPlace(JSON.parse(process.argv[2]!) as Place)
const kernel = new Kernel({ journal, engine: nowhere })

process.on('message', (message) => {
  const { id, answer } = message as { id: string; answer: ApprovalResponse['answer'] }
  kernel.respond(id, { answer }).then(
    ({ status }) => process.send!(status),
    (error: unknown) => process.send!((error as Error).message),
  )
})
process.on('disconnect', () => void journal.close().then(() => process.exit(0)))
process.send!('ready')
