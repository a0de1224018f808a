import { programs } from './programs.ts'
import type { BenchProgram } from './programs.ts'

type Programs = Readonly<Record<string, BenchProgram>>

/** Typical scripts of a model for a single computation: a few milliseconds of work each. */
const computing: Programs = {
  primes: {
    source: `(function () {
      const sieve = new Array(50001).fill(true)
      for (let i = 2; i * i <= 50000; i++) {
        if (!sieve[i]) continue
        for (let j = i * i; j <= 50000; j += i) sieve[j] = false
      }
      let count = 0
      for (let i = 2; i <= 50000; i++) if (sieve[i]) count++
      return count
    })()`,
    expected: 5_133,
  },
  matrix: {
    source: `(function () {
      const size = 40
      const make = (seed) => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => (i * seed + j) % 7))
      const a = make(3)
      const b = make(5)
      const product = a.map((row) => b[0].map((_, j) => row.reduce((sum, value, k) => sum + value * b[k][j], 0)))
      return product.reduce((sum, row) => sum + row.reduce((all, value) => all + value, 0), 0)
    })()`,
    expected: 575_147,
  },
  words: {
    source: `(function () {
      const names = ['order', 'user', 'invoice', 'refund', 'ticket', 'agent', 'report']
      let text = ''
      for (let i = 0; i < 6000; i++) text += names[(i * i + 3 * i) % 7] + (i % 11 === 0 ? '. ' : ' ')
      const counts = {}
      for (const word of text.split(' ')) {
        const key = word.replace('.', '').toUpperCase()
        if (key.length > 0) counts[key] = (counts[key] || 0) + 1
      }
      return Object.entries(counts).reduce((sum, [word, count]) => sum + word.length * count, 0)
    })()`,
    expected: 32_571,
  },
  distance: {
    source: `(function () {
      function distance(a, b) {
        let row = []
        for (let j = 0; j <= b.length; j++) row.push(j)
        for (let i = 1; i <= a.length; i++) {
          const next = [i]
          for (let j = 1; j <= b.length; j++) {
            const cost = a[i - 1] === b[j - 1] ? 0 : 1
            next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + cost))
          }
          row = next
        }
        return row[b.length]
      }
      return distance('the quick brown fox jumps over the lazy dog '.repeat(4), 'a lazy dog and a quick brown fox meet again '.repeat(4))
    })()`,
    expected: 88,
  },
}

/** Work that is mostly done by built-ins. */
const builtins: Programs = {
  mapset: {
    source: `(function () {
      const memo = new Map()
      function paths(row, column) {
        if (row === 0 || column === 0) return 1
        const key = row + ',' + column
        if (memo.has(key)) return memo.get(key)
        const count = (paths(row - 1, column) + paths(row, column - 1)) % 1000007
        memo.set(key, count)
        return count
      }
      function visit(node, seen) {
        if (seen.has(node)) return seen
        seen.add(node)
        for (const next of [(node * 2) % 307, (node * 3 + 1) % 307]) visit(next, seen)
        return seen
      }
      let reached = 0
      for (let node = 0; node < 20; node++) reached += visit(node, new Set()).size
      return paths(60, 60) + reached
    })()`,
    expected: 703_568,
  },
  regexp: {
    source: `(function () {
      const lines = []
      for (let i = 0; i < 1500; i++)
        lines.push('2026-03-' + String((i % 28) + 1).padStart(2, '0') + ' [' + (i % 3 === 0 ? 'ERROR' : 'info') + '] user' + i + '@example.com took ' + ((i * 37) % 900) + 'ms')
      let total = 0
      const users = []
      for (const line of lines) {
        const match = /^(\\d{4})-(\\d{2})-(\\d{2}) \\[(ERROR|WARN)\\] (\\S+@\\S+) took (\\d+)ms$/.exec(line)
        if (match) {
          total += Number(match[6])
          users.push(match[5].replace(/@.*$/, ''))
        }
      }
      const digits = lines.join('\\n').match(/\\d+/g).length
      return total + users.length + digits
    })()`,
    expected: 231_950,
  },
  sort: {
    source: `(function () {
      const people = []
      for (let i = 0; i < 2000; i++)
        people.push({ name: ['zoe ', 'adam ', 'emil ', 'bea ', 'carl '][i % 5] + ((i * 7919) % 2000), age: (i * 31) % 90 })
      const byName = [...people].sort((a, b) => a.name.localeCompare(b.name))
      const byAge = [...people].sort((a, b) => a.age - b.age || a.name.localeCompare(b.name))
      const numbers = people.map((one, i) => (i * 7919) % 10007).sort((a, b) => a - b)
      return byName.indexOf(people[7]) + byAge.indexOf(people[11]) + numbers[1000]
    })()`,
    expected: 7_888,
  },
}

const { codemode, fib25, loop1e6, array1e5, string1e5, object1e5 } = programs

/** Programs that are run once in a fresh process, by kind. */
export const coldPrograms: Readonly<Record<'codemode' | 'computing' | 'builtins', Programs>> = {
  codemode: { codemode: codemode! },
  computing: {
    fib25: fib25!,
    loop1e6: loop1e6!,
    array1e5: array1e5!,
    string1e5: string1e5!,
    object1e5: object1e5!,
    ...computing,
  },
  builtins,
}
