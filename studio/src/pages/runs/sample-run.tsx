import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { post } from '../../api/client.ts'
import { Problem } from '../../parts/message.tsx'
import { ReadOnlyNote, useReadOnly } from '../../parts/read-only.tsx'

/** Starts a simulated run without network use or cost, and opens it. */
export function SampleRun(): ReactNode {
  const navigate = useNavigate()
  const isReadOnly = useReadOnly()
  const sample = useMutation({
    mutationFn: () => post<{ readonly id: string }>('/api/studio/sample'),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$runId', params: { runId: id } }),
  })
  return (
    <>
      <div className="line">
        <button
          type="button"
          className="primary"
          disabled={isReadOnly || sample.isPending}
          onClick={() => sample.mutate()}
        >
          Create a sample run
        </button>
      </div>
      <ReadOnlyNote />
      {sample.error === null ? null : <Problem of={sample.error} />}
    </>
  )
}
