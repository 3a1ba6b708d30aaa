import type { DescMethod } from "@bufbuild/protobuf";

/**
 * The query key of a call. It begins as the keys of connect-query do, so that the key of its service
 * or method matches it; unlike those it needs no reflection, which the first pages can spare.
 */
export function callKey(method: DescMethod, input: object) {
  const { parent, name } = method;
  return ["connect-query", { serviceName: parent.typeName, methodName: name, input }] as const;
}
