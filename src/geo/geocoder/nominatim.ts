import { firstText, isObject, partsOf, type ReverseProtocol, UnreadableAnswer } from './protocol.ts'

/** Nominatim, https://nominatim.org/release-docs/latest/api/Reverse/ (format jsonv2). */
export const nominatim: ReverseProtocol = {
  parameters: ({ lat, lon }, language) => ({
    lat: String(lat),
    lon: String(lon),
    format: 'jsonv2',
    addressdetails: '1',
    'accept-language': language,
  }),

  readAnswer(body) {
    if (!isObject(body)) throw new UnreadableAnswer('a JSON object')
    // "Unable to geocode", with status 200: nothing is there, for example on the sea. Any other error is one.
    if (typeof body.error === 'string' && /unable to geocode/i.test(body.error)) return undefined
    const { address } = body
    if (!isObject(address)) throw new UnreadableAnswer('one of Nominatim, which has an object "address"')
    return partsOf({
      road: firstText(address, ['road', 'pedestrian', 'footway', 'cycleway', 'path', 'square']),
      houseNumber: firstText(address, ['house_number']),
      suburb: firstText(address, ['suburb', 'city_district', 'borough', 'district', 'quarter', 'neighbourhood']),
      locality: firstText(address, ['city', 'town', 'village', 'hamlet', 'municipality']),
      state: firstText(address, ['state', 'province', 'region', 'state_district']),
      country: firstText(address, ['country']),
      postcode: firstText(address, ['postcode']),
    })
  },
}
