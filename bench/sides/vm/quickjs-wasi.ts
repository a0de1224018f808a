import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { load } from '../../peers/load.ts'
import { waits } from './engine.ts'
import type { Engine, Question } from './engine.ts'
import { TOOLS, install, take } from './quickjs-world.ts'
import type { Handle } from './quickjs-world.ts'

interface Value extends Handle {
  toNumber(): number
  toString(): string
}
interface Vm {
  readonly global: Value
  newFunction(name: string, call: (arg: Value) => Value): Value
  newNumber(value: number): Value
  newString(value: string): Value
  newPromise(): { readonly handle: Value; resolve(value: Value): void }
  setProp(target: Value, name: string, value: Value): void
  evalCode(source: string): Value
  executePendingJobs(): void
  resolvePromise(handle: Value): Promise<{ readonly value: Value } | { readonly error: Value }>
  dump(handle: Value): unknown
  dispose(): void
}
interface QuickJsWasi {
  readonly QuickJS: {
    create(options: object): Promise<Vm>
  }
}

const { QuickJS } = await load<QuickJsWasi>('quickjs-wasi')
const require = createRequire(new URL('../../peers/package.json', import.meta.url))
const wasm = await WebAssembly.compile(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')))

async function make(world: Parameters<Engine['create']>[0]): Promise<Vm> {
  const vm = await QuickJS.create({ wasm, memoryLimit: 256 << 20 })
  const runJobs = (): void => vm.executePendingJobs()
  install(vm, '__add', (arg) => world.add(arg.toNumber()).then((n) => () => vm.newNumber(n)), runJobs)
  install(
    vm,
    '__ask',
    (arg) =>
      world.ask(JSON.parse(arg.toString()) as Question).then((answer) => () => vm.newString(JSON.stringify(answer))),
    runJobs,
  )
  vm.evalCode(TOOLS).dispose()
  return vm
}

export const engine: Engine = {
  label: 'quickjs-wasi',
  create: async (world) => {
    const vm = await make(world)
    return {
      run: async (source) => {
        const made = vm.evalCode(source)
        if (!waits(source)) return take(vm, made)
        const settled = vm.resolvePromise(made)
        vm.executePendingJobs()
        const result = await settled
        made.dispose()
        if ('error' in result) throw new Error(result.error.toString())
        return take(vm, result.value)
      },
      end: () => vm.dispose(),
    }
  },
}
