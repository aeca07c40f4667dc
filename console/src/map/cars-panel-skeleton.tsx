import { Group, Skeleton, Stack, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../language/language.ts'

const ROWS = 10

/** What the list of cars will look like, while it is on its way. */
export function CarsPanelSkeleton() {
  const texts = useTexts('pageState')
  return (
    <Stack gap="md" p="md" role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      <Skeleton h={36} />
      <Group gap="xs">
        <Skeleton h={28} w={80} radius="xl" />
        <Skeleton h={28} w={90} radius="xl" />
        <Skeleton h={28} w={80} radius="xl" />
      </Group>
      {Array.from({ length: ROWS }, (_, row) => (
        <Stack key={row} gap={8} h={42}>
          <Group justify="space-between">
            <Skeleton h={14} w="40%" />
            <Skeleton h={18} w={80} radius="xl" />
          </Group>
          <Skeleton h={10} w="65%" />
        </Stack>
      ))}
    </Stack>
  )
}
