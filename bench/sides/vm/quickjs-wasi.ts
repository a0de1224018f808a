import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { load } from '../../peers/load.ts'
import { waits } from './engine.ts'
import type { Engine, Question } from './engine.ts'

interface Handle {
  dispose(): void
  toNumber(): number
  toString(): string
}
interface Vm {
  readonly global: Handle
  newFunction(name: string, call: (arg: Handle) => Handle): Handle
  newNumber(value: number): Handle
  newString(value: string): Handle
  newPromise(): { readonly handle: Handle; resolve(value: Handle): void }
  setProp(target: Handle, name: string, value: Handle): void
  evalCode(source: string): Handle
  executePendingJobs(): void
  resolvePromise(handle: Handle): Promise<{ readonly value: Handle } | { readonly error: Handle }>
  dump(handle: Handle): unknown
  snapshot(): unknown
  dispose(): void
}
interface QuickJsWasi {
  readonly QuickJS: {
    create(options: object): Promise<Vm>
    serializeSnapshot(snapshot: unknown): Uint8Array
  }
}

const { QuickJS } = await load<QuickJsWasi>('quickjs-wasi')
const require = createRequire(new URL('../../peers/package.json', import.meta.url))
const wasm = await WebAssembly.compile(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')))

function install(vm: Vm, name: string, call: (arg: Handle) => Promise<() => Handle>): void {
  const made = vm.newFunction(name, (arg) => {
    const deferred = vm.newPromise()
    void call(arg).then((toHandle) => {
      const value = toHandle()
      deferred.resolve(value)
      value.dispose()
      vm.executePendingJobs()
    })
    return deferred.handle
  })
  vm.setProp(vm.global, name, made)
  made.dispose()
}

function take(vm: Vm, handle: Handle): unknown {
  const value = vm.dump(handle)
  handle.dispose()
  return value
}

const TOOLS =
  'globalThis.tools = { add: __add, ask: async (question) => JSON.parse(await __ask(JSON.stringify(question))) }'

async function make(world: Parameters<Engine['create']>[0]): Promise<Vm> {
  const vm = await QuickJS.create({ wasm, memoryLimit: 256 << 20 })
  install(vm, '__add', (arg) => world.add(arg.toNumber()).then((n) => () => vm.newNumber(n)))
  install(vm, '__ask', (arg) =>
    world.ask(JSON.parse(arg.toString()) as Question).then((answer) => () => vm.newString(JSON.stringify(answer))),
  )
  vm.evalCode(TOOLS).dispose()
  return vm
}

/** Bytes of an image of a program that waits. */
export async function snapshotBytes(source: string): Promise<number> {
  const vm = await make({ add: () => new Promise(() => {}), ask: () => new Promise(() => {}) })
  vm.evalCode(source)
  vm.executePendingJobs()
  return QuickJS.serializeSnapshot(vm.snapshot()).length
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
