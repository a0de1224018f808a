import type { Position } from '../../expr/index.ts'
import { isLineBreak } from './parser/characters.ts'

/** Line breaks other than a line feed alone. */
const unusual = /[\r\u2028\u2029]/

/** Converts offsets to line and column. Trees are traversed mostly forward, so the search starts at the last result. */
export class Lines {
  private readonly starts: number[] = [0]
  private last = 0

  constructor(source: string) {
    if (unusual.test(source)) this.readAll(source)
    else for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.starts.push(at + 1)
  }

  private readAll(source: string): void {
    for (let at = 0; at < source.length; at += 1) {
      const code = source.charCodeAt(at)
      if (!isLineBreak(code)) continue
      if (code === 13 && source.charCodeAt(at + 1) === 10) at += 1
      this.starts.push(at + 1)
    }
  }

  at(offset: number): Position {
    const { starts } = this
    let line = this.last
    while (line > 0 && (starts[line] as number) > offset) line -= 1
    while (line + 1 < starts.length && (starts[line + 1] as number) <= offset) line += 1
    this.last = line
    return [line + 1, offset - (starts[line] as number) + 1]
  }
}
