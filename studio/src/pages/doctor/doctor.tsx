import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Problem } from '../../parts/message.tsx'
import { Status } from '../../parts/status.tsx'

/** Whether everything is well: the server, the store, and every journal in it. */
export function Doctor(): ReactNode {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => get<{ readonly ok: boolean; readonly store: string }>('/api/health', {}, signal),
  })
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => get<{ readonly id: string; readonly roles: readonly string[] }>('/api/me', {}, signal),
  })
  const audit = useMutation({ mutationFn: () => get<{ readonly ok: boolean }>('/api/audit') })
  return (
    <div className="page">
      <h1>Doctor</h1>
      <section className="panel">
        <table>
          <tbody>
            <tr>
              <th scope="row">Server</th>
              <td>
                <Status of={health.error === null ? 'ok' : 'failed'} />
              </td>
            </tr>
            <tr>
              <th scope="row">Store</th>
              <td>
                <Status of={health.data?.store ?? 'unknown'} />
              </td>
            </tr>
            <tr>
              <th scope="row">You act as</th>
              <td>
                {me.data?.id} <span className="muted">{me.data?.roles.join(', ')}</span>
              </td>
            </tr>
          </tbody>
        </table>
      </section>
      {health.error === null ? null : <Problem of={health.error} />}
      <section className="stack">
        <h2>Journals</h2>
        <p>
          Reads every run, checks its chain, and that nothing got around the gate. It takes a while in a large store.
        </p>
        <div className="line">
          <button type="button" disabled={audit.isPending} onClick={() => audit.mutate()}>
            Verify every run
          </button>
          <CliTwin command="mandate audit" />
        </div>
        {audit.error === null ? null : <Problem of={audit.error} />}
        {audit.data === undefined ? null : (
          <div role="status" className="stack">
            <Status of={audit.data.ok ? 'ok' : 'failed'} />
            <JsonView value={audit.data} open={1} />
          </div>
        )}
      </section>
      <CliTwin command="mandate doctor" />
    </div>
  )
}
