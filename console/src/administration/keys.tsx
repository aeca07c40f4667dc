import { Alert, Button, Checkbox, Code, CopyButton, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/request.ts'
import type { Key, User } from '../api/schema.ts'
import { dayOf, startOfDayMs } from '../calendar/days.ts'
import { ConfirmDialog, Dialog, FormDialog } from '../dialog/dialog.tsx'
import { useTexts } from '../language/language.ts'
import { DateField } from '../table/filters.tsx'
import { AccessList, type ActionDialog, refetchAccess } from './access-list.tsx'
import { PermissionChoice, permissionsOf } from './permissions.tsx'

const keysQuery = queryOptions({
  queryKey: ['administration', 'keys'],
  queryFn: async ({ signal }) => (await ask('GET /admin/keys', { signal })).keys,
})

export function KeysTab() {
  const texts = useTexts('administration')
  const revoke = async ({ id }: Key) => {
    await ask('DELETE /admin/keys/{id}', { path: { id } })
    await refetchAccess()
  }
  return (
    <AccessList
      name="keys"
      answer={useQuery(keysQuery)}
      first={{ id: 'name', title: texts.name, value: key => key.name }}
      others={[
        {
          id: 'expires',
          title: texts.expires,
          value: key => (key.expiresTimestamp === null ? texts.never : new Date(key.expiresTimestamp)),
        },
        {
          id: 'madeBy',
          title: texts.madeBy,
          value: key => key.madeBy?.name ?? texts.operator,
          mark: key => key.isResting && texts.resting,
          markHint: texts.restingHint,
        },
      ]}
      add={{ label: texts.addKey, renderDialog: dialog => <KeyDialog {...dialog} /> }}
      actionsOf={key => [
        key.isResting && {
          label: texts.takeOver,
          title: texts.takeOverKey(key.name),
          isUrgent: true,
          renderDialog: dialog => (
            <ConfirmDialog {...dialog} hint={texts.takeOverKeyHint} onConfirm={() => takeOver([key])} />
          ),
        },
        {
          label: texts.revoke,
          title: texts.revokeKey(key.name),
          renderDialog: dialog => (
            <ConfirmDialog {...dialog} hint={texts.revokeKeyHint} onConfirm={() => revoke(key)} />
          ),
        },
      ]}
    />
  )
}

/** Creates a key and shows it, the only time that it can be seen. */
function KeyDialog(dialog: ActionDialog) {
  const texts = useTexts('administration')
  const form = useForm({ initialValues: { name: '', expires: '', permissions: permissionsOf('manager') } })
  const { name, expires, permissions } = form.values
  const [today] = useState(() => dayOf(Date.now()))
  const [made, setMade] = useState<string>()
  const make = async () => {
    const { key } = await ask('POST /admin/keys', {
      body: {
        name: name.trim(),
        permissions: [...permissions],
        // The key is good until the end of the day that is chosen.
        ...(expires === '' ? {} : { expiresTimestamp: new Date(startOfDayMs(expires, 1) - 1).toISOString() }),
      },
    })
    // The key is shown at once, whether or not the list comes.
    void refetchAccess()
    return key
  }
  if (made !== undefined) return <MadeKey {...dialog} value={made} />
  return (
    <FormDialog {...dialog} onSave={make} onDone={setMade} isUnsaved={form.isDirty()}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        autoComplete="off"
        required
        {...form.getInputProps('name')}
      />
      <DateField
        label={texts.expires}
        description={texts.expiresHint}
        min={today}
        {...form.getInputProps('expires')}
        value={expires}
      />
      <PermissionChoice {...form.getInputProps('permissions')} value={permissions} />
    </FormDialog>
  )
}

function MadeKey({ title, value, onClose }: ActionDialog & { readonly value: string }) {
  const texts = useTexts('administration')
  return (
    <Dialog title={title} onClose={onClose} isKept>
      <Stack>
        <Alert color="yellow">{texts.keyMade}</Alert>
        <Code block style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
          {value}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={value}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? texts.copied : texts.copy}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{texts.done}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Makes them the person's own, so that they go on. */
async function takeOver(keys: readonly Key[]): Promise<void> {
  for (const { id } of keys) await ask('POST /admin/keys/{id}/take-over', { path: { id } })
  await refetchAccess()
}

/** Which keys end with a user's right to administrate, and whether to take them over, as the person chooses. */
export function useKeysOf(user: User | undefined) {
  const texts = useTexts('administration')
  const { data: keys = [] } = useQuery(keysQuery)
  const [isWanted, setWanted] = useState(false)
  const own = keys.filter(({ madeBy, isResting }) => madeBy?.kind === 'user' && madeBy.id === user?.id && !isResting)
  return {
    /** To be done first, so that they never stop. */
    takeOverIfWanted: async () => {
      if (isWanted) await takeOver(own)
    },
    question: own.length > 0 && (
      <Alert color="yellow" title={texts.keysEnd}>
        <Stack gap="xs">
          <List size="sm">
            {own.map(({ id, name }) => (
              <List.Item key={id}>{name}</List.Item>
            ))}
          </List>
          <Text fz="sm">{texts.keysEndHint}</Text>
          <Checkbox
            label={texts.takeThemOver}
            checked={isWanted}
            onChange={event => setWanted(event.currentTarget.checked)}
          />
        </Stack>
      </Alert>
    ),
  }
}
