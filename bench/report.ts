/** A table as printed and stored. */
export interface Table {
  readonly title: string
  /** How it was measured, if not obvious. */
  readonly note?: string | undefined
  readonly columns: readonly string[]
  readonly rows: readonly (readonly [name: string, ...figures: readonly (number | string)[]])[]
}

/** A required ratio. */
export interface Goal {
  readonly name: string
  readonly measured: number
  readonly atMost?: number | undefined
  readonly atLeast?: number | undefined
}

/** The result of one section of the benchmark. */
export interface Section {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
}

export function isMet({ measured, atMost = Infinity, atLeast = -Infinity }: Goal): boolean {
  return measured <= atMost && measured >= atLeast
}

export function sectionText({ tables, goals }: Section): string {
  return [...tables.map(tableText), ...(goals.length === 0 ? [] : [goalsText(goals)])].join('\n\n')
}

function tableText({ title, note, columns, rows }: Table): string {
  const lines = [
    `| ${['', ...columns].join(' | ')} |`,
    `|---|${columns.map(() => '---:|').join('')}`,
    ...rows.map(([name, ...figures]) => `| ${[name, ...figures.map(figureText)].join(' | ')} |`),
  ]
  return [`## ${title}`, '', ...(note === undefined ? [] : [note, '']), ...lines].join('\n')
}

function goalsText(goals: readonly Goal[]): string {
  return goals
    .map((goal) => {
      const asked = goal.atMost === undefined ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`
      return `- ${isMet(goal) ? 'met' : '**missed**'}: ${goal.name}: ${figureText(goal.measured)} (${asked})`
    })
    .join('\n')
}

/** Formats a number with three significant digits. */
function figureText(figure: number | string): string {
  if (typeof figure === 'string') return figure
  if (figure === 0) return '0'
  const size = Math.abs(figure)
  return figure.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3)
}
