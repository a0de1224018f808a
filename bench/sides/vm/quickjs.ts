import { load } from '../../peers/load.ts'
import { waits } from './engine.ts'
import type { Engine, Question } from './engine.ts'

interface Handle {
  dispose(): void
}
interface Deferred extends Handle {
  readonly handle: Handle
  resolve(value: Handle): void
}
interface Context extends Handle {
  readonly global: Handle
  newFunction(name: string, call: (arg: Handle) => Handle): Handle
  newNumber(value: number): Handle
  newString(value: string): Handle
  newPromise(): Deferred
  getNumber(handle: Handle): number
  getString(handle: Handle): string
  setProp(target: Handle, name: string, value: Handle): void
  evalCode(source: string): unknown
  unwrapResult(result: unknown): Handle
  resolvePromise(handle: Handle): Promise<unknown>
  dump(handle: Handle): unknown
}
interface Runtime extends Handle {
  setMemoryLimit(bytes: number): void
  setMaxStackSize(bytes: number): void
  setInterruptHandler(isOver: () => boolean): void
  newContext(): Context
  executePendingJobs(): void
}
interface Core {
  readonly newQuickJSWASMModuleFromVariant: (variant: unknown) => Promise<{ newRuntime(): Runtime }>
}

const { newQuickJSWASMModuleFromVariant } = await load<Core>('quickjs-emscripten-core')
const { default: variant } = await load<{ readonly default: unknown }>('@jitl/quickjs-wasmfile-release-sync')
const module = await newQuickJSWASMModuleFromVariant(variant)

/** A function of the world as a function inside; its answer comes as the text or number that `toHandle` makes. */
function install(runtime: Runtime, vm: Context, name: string, call: (arg: Handle) => Promise<() => Handle>): void {
  const made = vm.newFunction(name, (arg) => {
    const deferred = vm.newPromise()
    void call(arg).then((toHandle) => {
      const value = toHandle()
      deferred.resolve(value)
      value.dispose()
      deferred.dispose()
      runtime.executePendingJobs()
    })
    return deferred.handle
  })
  vm.setProp(vm.global, name, made)
  made.dispose()
}

function take(vm: Context, handle: Handle): unknown {
  const value = vm.dump(handle)
  handle.dispose()
  return value
}

const TOOLS =
  'globalThis.tools = { add: __add, ask: async (question) => JSON.parse(await __ask(JSON.stringify(question))) }'

export const engine: Engine = {
  label: 'quickjs-emscripten (release, sync)',
  create: (world) => {
    const runtime = module.newRuntime()
    runtime.setMemoryLimit(256 << 20)
    runtime.setMaxStackSize(512 << 10)
    let ticks = 0
    runtime.setInterruptHandler(() => ++ticks > 1e9)
    const vm = runtime.newContext()
    install(runtime, vm, '__add', (arg) => world.add(vm.getNumber(arg)).then((n) => () => vm.newNumber(n)))
    install(runtime, vm, '__ask', (arg) =>
      world.ask(JSON.parse(vm.getString(arg)) as Question).then((answer) => () => vm.newString(JSON.stringify(answer))),
    )
    vm.unwrapResult(vm.evalCode(TOOLS)).dispose()
    return {
      run: (source) => {
        const made = vm.unwrapResult(vm.evalCode(source))
        if (!waits(source)) return take(vm, made)
        const settled = vm.resolvePromise(made)
        made.dispose()
        runtime.executePendingJobs()
        return settled.then((result) => take(vm, vm.unwrapResult(result)))
      },
      end: () => {
        vm.dispose()
        runtime.dispose()
      },
    }
  },
}
