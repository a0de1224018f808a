import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export function ChildLink({ runId, children }: { readonly runId: string; readonly children: ReactNode }): ReactNode {
  return (
    <Link to="/runs/$runId" params={{ runId }}>
      {children}
    </Link>
  )
}
