import { load } from '../../peers/load.ts'
import { waits } from './engine.ts'
import type { Engine, Question } from './engine.ts'

interface Context {
  readonly global: { setSync(name: string, value: unknown): void }
  evalSync(source: string): unknown
  eval(source: string, options: object): Promise<unknown>
  release(): void
}
interface Isolated {
  readonly default: {
    readonly Isolate: new (options: object) => { createContextSync(): Context; dispose(): void }
    readonly Reference: new (value: unknown) => unknown
  }
}

const { default: ivm } = await load<Isolated>('isolated-vm')

const TOOLS = `{
  const add = __add, ask = __ask, how = { result: { promise: true } }
  globalThis.tools = {
    add: (n) => add.apply(undefined, [n], how),
    ask: async (question) => JSON.parse(await ask.apply(undefined, [JSON.stringify(question)], how)),
  }
}`

export const engine: Engine = {
  label: 'isolated-vm (an isolate each; no fuel)',
  create: (world) => {
    const isolate = new ivm.Isolate({ memoryLimit: 128 })
    const context = isolate.createContextSync()
    const ask = async (text: string): Promise<string> => JSON.stringify(await world.ask(JSON.parse(text) as Question))
    context.global.setSync('__add', new ivm.Reference(world.add))
    context.global.setSync('__ask', new ivm.Reference(ask))
    context.evalSync(TOOLS)
    return {
      run: (source) => (waits(source) ? context.eval(source, { promise: true, copy: true }) : context.evalSync(source)),
      end: () => {
        context.release()
        isolate.dispose()
      },
    }
  },
}
