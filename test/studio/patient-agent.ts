import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool } from 'mandate'
import { scripted } from 'mandate/model'

/** An agent whose tool waits until a file is there: whoever makes it decides when the run goes on, whichever process has it. */
const wait = defineTool({
  name: 'wait',
  risk: 'read',
  idempotent: true,
  run: async ({ file }: { file: string }) => {
    while (!existsSync(join(process.env['STUDIO_TEST_DIR'] ?? '', file)))
      await new Promise((resolve) => setTimeout(resolve, 20))
    return file
  },
})

const step = (file: string): object => ({
  text: `Waiting for ${file}.`,
  toolCalls: [{ name: 'wait', input: { file } }],
})

export default { id: 'patient', tools: [wait], model: scripted([step('one'), step('two'), step('three'), 'All done.']) }
