import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { get } from '../../api/client.ts'
import { CliTwin } from '../../parts/cli-twin.tsx'
import { Problem } from '../../parts/message.tsx'
import { useStudioInfo } from '../../parts/read-only.tsx'
import { Status } from '../../parts/status.tsx'
import { AuditView } from './audit-view.tsx'
import type { AuditReport } from './audit-view.tsx'
import styles from './doctor.module.css'

/** The health of the server, the store, and every journal in it. */
export function Doctor(): ReactNode {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => get<{ readonly ok: boolean; readonly store: string }>('/api/health', {}, signal),
  })
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => get<{ readonly id: string; readonly roles: readonly string[] }>('/api/me', {}, signal),
  })
  const info = useStudioInfo()
  const audit = useMutation({ mutationFn: () => get<AuditReport>('/api/audit') })
  return (
    <div className="page">
      <h1>Doctor</h1>
      <section className="panel part" aria-label="Server and store">
        <h2>Server and store</h2>
        <table className={styles['facts']}>
          <tbody>
            <Fact of="Server">
              <Status of={health.error === null ? 'ok' : 'failed'} />
            </Fact>
            <Fact of="Store">
              <span className="line">
                <Status of={health.data?.store ?? 'unknown'} /> {info?.store}
              </span>
            </Fact>
            <Fact of="Mandate">{info?.version}</Fact>
            <Fact of="Node">
              {info?.node} <span className="muted">{info?.platform}</span>
            </Fact>
            <Fact of="Schema">entries of version {info?.entryVersion}; older ones are read as well</Fact>
            <Fact of="You act as">
              {me.data?.id} <span className="muted">{me.data?.roles.join(', ')}</span>
            </Fact>
            <Fact of="Changes">
              {info?.readOnly === true ? 'refused: started with --read-only' : 'taken from this page'}
            </Fact>
            <Limits />
          </tbody>
        </table>
      </section>
      {health.error === null ? null : <Problem of={health.error} />}
      <section className="panel part" aria-label="Journals">
        <h2>Journals</h2>
        <p>
          Reads every run, checks its chain, and that nothing got around the gate. It takes a while in a large store.
        </p>
        <div className="line">
          <button type="button" disabled={audit.isPending} onClick={() => audit.mutate()}>
            {audit.isPending ? 'Verifying …' : 'Verify every run'}
          </button>
          <CliTwin command="mandate audit" />
        </div>
        {audit.error === null ? null : <Problem of={audit.error} />}
        {audit.data === undefined ? null : <AuditView of={audit.data} />}
      </section>
      <CliTwin command="mandate doctor" />
    </div>
  )
}

function Fact({ of, children }: { readonly of: string; readonly children: ReactNode }): ReactNode {
  return (
    <tr>
      <th scope="row">{of}</th>
      <td>{children}</td>
    </tr>
  )
}

interface HostPolicy {
  readonly mandate: { readonly budget?: Readonly<Record<string, number>>; readonly callCap?: number } | null
}

/** The limits that the mandate of the host sets for every run. */
function Limits(): ReactNode {
  const { data } = useQuery({
    queryKey: ['policy'],
    retry: 0,
    queryFn: ({ signal }) => get<HostPolicy>('/api/policy', {}, signal),
  })
  if (data === undefined) return null
  const { budget = {}, callCap } = data.mandate ?? {}
  const limits = Object.entries({ ...budget, ...(callCap === undefined ? {} : { callCap }) })
  return (
    <Fact of="Limits">
      {limits.length === 0
        ? 'none of the host: those of each agent hold'
        : limits.map(([name, limit]) => `${name} ${limit}`).join(', ')}{' '}
      <Link to="/policy" className={styles['link']}>
        see the policy
      </Link>
    </Fact>
  )
}
