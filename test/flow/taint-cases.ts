import type { FlowRule } from '../../src/gate/index.ts'

/** A case of the corpus of data flows. */
export interface TaintCase {
  readonly id: string
  readonly technique: string
  readonly program: string
  readonly expect: 'deny' | 'allow' | 'ask'
  readonly rule: string
  readonly needsRuntime?: boolean
}

/** The rules that cases name; `between` stands between the two words of a tool's name. */
export function taintRules(between: '.' | '_'): { readonly [rule: string]: FlowRule } {
  const mail = `mail${between}send`
  return {
    R1: { id: 'R1', sink: mail, path: ['/to', '/cc', '/bcc'], forbid: ['untrusted:*'] },
    R3: { id: 'R3', sink: `http${between}post`, path: ['/url', '/body'], forbid: ['secret:*'] },
    R4: { id: 'R4', sink: `sql${between}query`, path: '/text', forbid: ['untrusted:*'] },
    R6: { id: 'R6', sink: `fs${between}write`, path: '/path', forbid: ['untrusted:*'] },
    R7: { id: 'R7', sink: mail, forbid: ['untrusted:*'], then: 'ask' },
  }
}
