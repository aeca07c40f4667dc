import { Card, Group, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PartProps {
  readonly title: string
  /** At the other end of the title's line. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A part of a page, with its title, in a frame. */
export function Part({ title, aside, children }: PartProps) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} fz="h4">
            {title}
          </Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </Card>
  )
}
