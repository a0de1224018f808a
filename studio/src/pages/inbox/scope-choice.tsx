import type { ReactNode, Ref } from 'react'
import type { WaitingItem } from '../../api/types.ts'
import { visible } from '../../parts/format.ts'
import type { Scope } from './decide.ts'

const SCOPES: readonly { readonly scope: Scope; readonly label: string }[] = [
  { scope: 'once', label: 'this call' },
  { scope: 'run', label: 'every call of this tool in this run' },
  { scope: 'rule', label: 'every call of this tool that the same rules ask about, in all runs, for 30 days' },
]

interface ScopeProps {
  readonly request: WaitingItem
  readonly scope: Scope
  readonly choose: (scope: Scope) => void
  /** The selected option, which gets the keyboard focus. */
  readonly ref: Ref<HTMLInputElement>
}

/** Selects the scope of an approval. The resulting rule is shown before it is created. */
export function ScopeChoice({ request, scope, choose, ref }: ScopeProps): ReactNode {
  return (
    <fieldset>
      <legend>How far an approval reaches</legend>
      {SCOPES.map((each) => (
        <label key={each.scope} className="line">
          <input
            type="radio"
            name={`scope of ${request.id}`}
            ref={each.scope === scope ? ref : undefined}
            checked={scope === each.scope}
            disabled={each.scope === 'rule' && request.binding === undefined}
            onChange={() => choose(each.scope)}
          />{' '}
          {each.label}
        </label>
      ))}
      {scope === 'rule' && request.binding !== undefined ? <NewRule request={request} /> : null}
    </fieldset>
  )
}

function NewRule({ request: { kind, name, binding } }: { readonly request: WaitingItem }): ReactNode {
  return (
    <p role="note" aria-label="The rule that this makes">
      Allow{' '}
      <code>
        {kind} {visible(name)}
      </code>{' '}
      with any input of <code>{visible(binding!.mind)}</code> where it is asked about by{' '}
      {binding!.rules.map((rule, index) => (
        <span key={rule}>
          {index === 0 ? '' : ', '}
          {/* The number of the mandate before the rule is of no use to readers. */}
          <code>{visible(rule.replace(/^\d+:/, ''))}</code>
        </span>
      ))}
      , for 30 days. It ends when the mandates or the tool change, and when somebody revokes it on the page Policy, or
      with <code>mandate revoke</code>.
    </p>
  )
}
