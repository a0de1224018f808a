// Bytes of a small program that waits: `node bench/sides/vm/snapshot.ts <mandate | quickjs-wasi>`. Prints one line of JSON.
import { scriptBuiltins } from '../../../src/vm/builtins/index.ts'
import { compileProgram } from '../../../src/vm/compile/compile.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { joinTables } from '../../../src/vm/door.ts'
import { createMachine } from '../../../src/vm/machine/machine.ts'
import { promiseBuiltins } from '../../../src/vm/machine/promise-builtins.ts'
import { restoreMachine, takeSnapshot } from '../../../src/vm/machine/snapshot.ts'
import { script } from '../../../src/vm/script/index.ts'
import { WAITING } from './programs.ts'

async function ours(): Promise<number> {
  const compiled = (): ReturnType<typeof compileProgram> =>
    compileProgram(script(WAITING), {
      language: scriptLanguage,
      builtins: joinTables(scriptBuiltins, promiseBuiltins),
      capabilities: { tools: { add: { kind: 'tool', name: 'add' } } },
    })
  const machine = createMachine(compiled())
  machine.start()
  await machine.idle()
  const text = takeSnapshot(machine)!
  // Bytes that do not bring the program back would not count.
  const restored = restoreMachine(compiled(), text)!
  restored.start()
  await restored.idle()
  restored.resolve(restored.pending[0]!.id, { status: 'ok', value: 2 })
  const { result } = await restored.ended()
  if (result !== 12) throw new Error(`The restored program gives ${JSON.stringify(result)}.`)
  return Buffer.byteLength(text)
}

const bytes =
  process.argv[2] === 'mandate' ? await ours() : await (await import('./quickjs-wasi.ts')).snapshotBytes(WAITING)
process.stdout.write(`${JSON.stringify({ bytes })}\n`, () => process.exit(0))
