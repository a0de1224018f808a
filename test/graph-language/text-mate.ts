/** As much of TextMate grammars as that of `.rag` uses: patterns, blocks from a beginning to an end, captures and includes. */
export interface Rule {
  readonly name?: string
  readonly match?: string
  readonly begin?: string
  readonly end?: string
  readonly captures?: Readonly<Record<string, { readonly name: string }>>
  readonly patterns?: readonly Rule[]
  readonly include?: string
}

export interface Grammar extends Rule {
  readonly scopeName: string
  readonly fileTypes: readonly string[]
  readonly repository: Readonly<Record<string, Rule>>
}

export interface Piece {
  readonly text: string
  readonly scope: string
}

/** The rules behind a list, includes and lists of rules put in their places. */
export function rulesOf(rules: readonly Rule[], grammar: Grammar): Rule[] {
  return rules.flatMap((rule) => {
    const included = rule.include === undefined ? rule : grammar.repository[rule.include.slice(1)]
    if (included === undefined) throw new Error(`there is no rule ${rule.include}`)
    const isList = included.match === undefined && included.begin === undefined
    return isList ? rulesOf(included.patterns ?? [], grammar) : [included]
  })
}

/** The pieces of a text with the innermost scope of each; white space is left out. */
export function tokenise(source: string, grammar: Grammar): Piece[] {
  const pieces: Piece[] = []
  const open: Rule[] = []
  for (const line of source.split('\n')) readLine(line, open, pieces, grammar)
  return pieces
}

function readLine(line: string, open: Rule[], pieces: Piece[], grammar: Grammar): void {
  for (let at = 0; at <= line.length;) {
    const block = open.at(-1)
    const rules = rulesOf(block?.patterns ?? (block ? [] : (grammar.patterns ?? [])), grammar)
    const ended = block && find(block.end!, line, at)
    const found = rules
      .map((rule) => ({ rule, hit: find((rule.match ?? rule.begin)!, line, at) }))
      .filter(({ hit }) => hit !== null)
      .toSorted((a, b) => a.hit!.index - b.hit!.index)[0]
    const isEnd = ended !== undefined && ended !== null && (found === undefined || ended.index <= found.hit!.index)
    const hit = isEnd ? ended : found?.hit
    add(line.slice(at, hit?.index ?? line.length), block?.name ?? '', pieces)
    if (!hit) return
    const end = hit.index + hit[0].length
    if (isEnd) {
      add(hit[0], block!.name!, pieces)
      open.pop()
      if (hit[0] === '') return
    } else if (found!.rule.begin === undefined) addCaptures(hit, found!.rule, pieces)
    else {
      add(hit[0], found!.rule.name!, pieces)
      open.push(found!.rule)
    }
    if (end === at && !isEnd) throw new Error(`${JSON.stringify(found!.rule)} matches nothing at ${at} of ${line}`)
    at = end
  }
}

function find(pattern: string, line: string, at: number): RegExpExecArray | null {
  const expression = new RegExp(pattern, 'dg')
  expression.lastIndex = at
  return expression.exec(line)
}

function addCaptures(hit: RegExpExecArray, rule: Rule, pieces: Piece[]): void {
  if (rule.captures === undefined) return add(hit[0], rule.name ?? '', pieces)
  for (const [index, { name }] of Object.entries(rule.captures)) {
    const place = hit.indices![Number(index)]
    if (place) add(hit.input.slice(...place), name, pieces)
  }
}

function add(text: string, scope: string, pieces: Piece[]): void {
  if (text.trim() !== '') pieces.push({ text: text.trim(), scope: scope.replace(/\.rag$/, '') })
}
