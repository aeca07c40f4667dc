import { Alert, Button, Card, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { ConfirmDialog } from '../dialog/confirm-dialog.tsx'
import { devicesQuery, vehiclesQuery } from '../fleet/fleet-queries.ts'
import { useTexts } from '../language/language.ts'
import { OFFERED, useDeviceChoices } from './device-choices.ts'

/** Deletes a dongle with everything that it measured, after saying what that is. */
export function DeleteDevice() {
  const texts = useTexts('administration')
  const [imei, setImei] = useState<string | null>(null)
  const [isAsking, setAsking] = useState(false)
  const [deleted, setDeleted] = useState<string>()
  const choices = useDeviceChoices()
  const carName = choices.find(({ value }) => value === imei)?.carName
  const remove = async () => {
    if (imei === null) return
    await ask('DELETE /admin/devices/{deviceId}', { path: { deviceId: imei } })
    setDeleted(imei)
    setImei(null)
    setAsking(false)
    // The live stream does not report deleted dongles.
    for (const { queryKey } of [devicesQuery, vehiclesQuery]) void queryClient.invalidateQueries({ queryKey })
  }
  return (
    <Card withBorder component="section">
      <Stack gap="sm">
        <Title order={2} fz="h4">
          {texts.deleteTitle}
        </Title>
        <Text c="dimmed" fz="sm">
          {texts.deleteHint}
        </Text>
        <Select
          label={texts.dongleToDelete}
          data={choices}
          value={imei}
          onChange={setImei}
          searchable
          clearable
          limit={OFFERED}
          nothingFoundMessage={texts.nobodyFound}
        />
        {deleted !== undefined && (
          <Alert color="teal" role="status">
            {texts.deleted(deleted)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button color="red" disabled={imei === null} onClick={() => setAsking(true)}>
            {texts.deleteDongle}
          </Button>
        </Group>
      </Stack>
      {isAsking && imei !== null && (
        <ConfirmDialog
          title={texts.deleteQuestion(imei)}
          hint={texts.deleteConsequences(carName)}
          action={texts.deleteForGood}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}
