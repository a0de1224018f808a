/** The common interface of both QuickJS packages: values are handles, and a response of the host resolves a promise inside. */
export interface Handle {
  dispose(): void
}

interface Inside<H extends Handle> {
  readonly global: H
  newFunction(name: string, call: (arg: H) => H): H
  newPromise(): { readonly handle: H; resolve(value: H): void; dispose?(): void }
  setProp(target: H, name: string, value: H): void
  dump(handle: H): unknown
}

/** Installs a host function inside the sandbox; its result is the text or number that `toHandle` creates. */
export function install<H extends Handle>(
  vm: Inside<H>,
  name: string,
  call: (arg: H) => Promise<() => H>,
  runJobs: () => void,
): void {
  const made = vm.newFunction(name, (arg) => {
    const deferred = vm.newPromise()
    void call(arg).then((toHandle) => {
      const value = toHandle()
      deferred.resolve(value)
      value.dispose()
      deferred.dispose?.()
      runJobs()
    })
    return deferred.handle
  })
  vm.setProp(vm.global, name, made)
  made.dispose()
}

export function take<H extends Handle>(vm: Inside<H>, handle: H): unknown {
  const value = vm.dump(handle)
  handle.dispose()
  return value
}

export const TOOLS =
  'globalThis.tools = { add: __add, ask: async (question) => JSON.parse(await __ask(JSON.stringify(question))) }'
