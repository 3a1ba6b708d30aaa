import type { DescMethod } from "@bufbuild/protobuf";

/**
 * The query key of a call. It starts like the keys of connect-query, so that the key of a service
 * or method matches it. It needs no reflection, which keeps that code out of the first pages.
 */
export function callKey(method: DescMethod, input: object) {
  const { parent, name } = method;
  return ["connect-query", { serviceName: parent.typeName, methodName: name, input }] as const;
}
