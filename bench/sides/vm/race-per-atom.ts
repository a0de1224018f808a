/** A step or an expression of a JSON program. */
type Node = Readonly<Record<string, unknown>>
type Vars = Record<string, unknown>

/** A naive interpreter of JSON programs: every atom is awaited and raced with a timer. No fuel, no memory limit, no checks. */
export async function runPlainly(steps: readonly object[], args: Vars): Promise<unknown> {
  const vars: Vars = {}
  await sequence(steps as readonly Node[], vars, args)
  return vars['%output']
}

async function sequence(steps: readonly Node[], vars: Vars, args: Vars): Promise<void> {
  for (const step of steps) {
    const value = await timed(atoms[step['op'] as string]!(step, vars, args))
    if (typeof step['result'] === 'string') vars[step['result']] = value
  }
}

async function timed(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), 1_000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

type Atom = (step: Node, vars: Vars, args: Vars) => Promise<unknown>

const steps = (step: Node, name: string): readonly Node[] => step[name] as readonly Node[]
const list = (step: Node, vars: Vars, args: Vars): readonly unknown[] =>
  valueOf(step['items'], vars, args) as readonly unknown[]

const atoms: Readonly<Record<string, Atom>> = {
  varSet: async ({ key, value }, vars, args) => (vars[key as string] = valueOf(value, vars, args)),
  return: async ({ value }, vars, args) => (vars['%output'] = valueOf(value, vars, args)),
  while: async (step, vars, args) => {
    while (valueOf(step['condition'], vars, args) === true) await sequence(steps(step, 'body'), vars, args)
  },
  map: async (step, vars, args) => {
    const made: unknown[] = []
    for (const item of list(step, vars, args)) {
      vars[step['as'] as string] = item
      await sequence(steps(step, 'steps'), vars, args)
      made.push(vars['result'])
    }
    return made
  },
  filter: async (step, vars, args) => {
    const made: unknown[] = []
    for (const item of list(step, vars, args)) {
      vars[step['as'] as string] = item
      if (await timed(Promise.resolve(valueOf(step['condition'], vars, args)))) made.push(item)
    }
    return made
  },
  reduce: async (step, vars, args) => {
    vars[step['accumulator'] as string] = step['initial']
    for (const item of list(step, vars, args)) {
      vars[step['as'] as string] = item
      await sequence(steps(step, 'steps'), vars, args)
      vars[step['accumulator'] as string] = vars['result']
    }
    return vars[step['accumulator'] as string]
  },
}

const operators: Readonly<Record<string, (a: number, b: number) => unknown>> = {
  '+': (a, b) => a + b,
  '*': (a, b) => a * b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
}

function valueOf(node: unknown, vars: Vars, args: Vars): unknown {
  if (typeof node !== 'object' || node === null) return node
  const { $expr, $kind, path, name, op, left, right, object, property } = node as Node
  if ($kind === 'arg') return args[path as string]
  if ($expr === 'ident') return vars[name as string]
  if ($expr === 'member') return (valueOf(object, vars, args) as Vars)[property as string]
  return operators[op as string]!(valueOf(left, vars, args) as number, valueOf(right, vars, args) as number)
}
