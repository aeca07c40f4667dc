import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly icon: Icon
  readonly title: string
  /** What to do about it. */
  readonly hint: string
  readonly children?: ReactNode
}

/** Says that there is nothing, and what to do about it. */
export function EmptyState({ icon: Symbol, title, hint, children }: EmptyStateProps) {
  return (
    <Center p="xl" mih={240}>
      <Stack align="center" gap="xs" maw={420}>
        <ThemeIcon size={56} radius="xl" variant="light" color="gray" aria-hidden>
          <Symbol size={30} stroke={1.5} />
        </ThemeIcon>
        <Title order={2} fz="h3" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center">
          {hint}
        </Text>
        {children}
      </Stack>
    </Center>
  )
}
