import { callUnaryMethod, createQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useFormState, useWatch, type Control } from "react-hook-form";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentValues } from "./schema";

const debounceMs = 400;
/** A search also finds parts of names; an equal one is usually among the first. */
const maxFound = 50;

/** The name of another active machine with the same name or serial number, once it was changed. */
export function useDuplicate(
  control: Control<EquipmentValues>,
  field: "name" | "serialNumber",
  ownId: string | undefined,
): string | undefined {
  const transport = useTransport();
  const text = useWatch({ control, name: field }).trim();
  const { dirtyFields } = useFormState({ control });
  const { listEquipment } = EquipmentService.method;
  const input = { search: text, page: { limit: maxFound } };
  const { data } = useQuery({
    ...createQueryOptions(listEquipment, input, { transport }),
    queryFn: async ({ signal }) => {
      await pause(signal);
      return callUnaryMethod(transport, listEquipment, input, { signal });
    },
    enabled: text !== "" && dirtyFields[field] === true,
  });
  const isSame = (other: string | undefined) =>
    other?.trim().localeCompare(text, undefined, { sensitivity: "base" }) === 0;
  return data?.equipment.find((other) => other.id !== ownId && isSame(other[field]))?.name;
}

/** A newer text cancels the request of the previous one. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, debounceMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
    });
  });
}
