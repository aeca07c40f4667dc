import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface FactProps {
  readonly name: string
  /** The line below; none when empty. */
  readonly hint?: string
  readonly children: ReactNode
}

/** A term of a `dl` with what it is. */
export function Fact({ name, hint, children }: FactProps) {
  return (
    <div style={{ maxWidth: 260 }}>
      <Text component="dt" fz="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} fw={600}>
        {children}
      </Text>
      {hint && (
        <Text component="dd" m={0} fz="sm">
          {hint}
        </Text>
      )}
    </div>
  )
}
