import { load } from '../../peers/load.ts'
import { waits } from './engine.ts'
import type { Engine, Question } from './engine.ts'
import { TOOLS, install, take } from './quickjs-world.ts'
import type { Handle } from './quickjs-world.ts'

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

export const engine: Engine = {
  label: 'quickjs-emscripten (release, sync)',
  create: (world) => {
    const runtime = module.newRuntime()
    runtime.setMemoryLimit(256 << 20)
    runtime.setMaxStackSize(512 << 10)
    let ticks = 0
    runtime.setInterruptHandler(() => ++ticks > 1e9)
    const vm = runtime.newContext()
    const runJobs = (): void => runtime.executePendingJobs()
    install(vm, '__add', (arg) => world.add(vm.getNumber(arg)).then((n) => () => vm.newNumber(n)), runJobs)
    install(
      vm,
      '__ask',
      (arg) =>
        world
          .ask(JSON.parse(vm.getString(arg)) as Question)
          .then((answer) => () => vm.newString(JSON.stringify(answer))),
      runJobs,
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
