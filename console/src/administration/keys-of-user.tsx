import { Alert, Checkbox, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import type { Key } from '../api/schema.ts'
import { useTexts } from '../language/language.ts'
import { keysQuery } from './queries.ts'

/** Keys that work because this user may administrate. */
export function useKeysOf(userId: string | undefined): readonly Key[] {
  const { data: keys = [] } = useQuery(keysQuery)
  return keys.filter(({ madeBy, isResting }) => madeBy?.kind === 'user' && madeBy.id === userId && !isResting)
}

/** Makes them the person's own, so that they go on. */
export async function takeOver(keys: readonly Key[]): Promise<void> {
  for (const { id } of keys) await ask('POST /admin/keys/{id}/take-over', { path: { id } })
  await queryClient.invalidateQueries({ queryKey: keysQuery.queryKey })
}

interface KeysOfUserProps {
  readonly keys: readonly Key[]
  readonly isTakenOver: boolean
  readonly onChange: (isTakenOver: boolean) => void
}

/** Says which keys end with a user's right, and asks whether to take them over. */
export function KeysOfUser({ keys, isTakenOver, onChange }: KeysOfUserProps) {
  const texts = useTexts('administration')
  if (keys.length === 0) return null
  return (
    <Alert color="yellow" title={texts.keysEnd}>
      <Stack gap="xs">
        <List size="sm">
          {keys.map(({ id, name }) => (
            <List.Item key={id}>{name}</List.Item>
          ))}
        </List>
        <Text fz="sm">{texts.keysEndHint}</Text>
        <Checkbox
          label={texts.takeThemOver}
          checked={isTakenOver}
          onChange={event => onChange(event.currentTarget.checked)}
        />
      </Stack>
    </Alert>
  )
}
