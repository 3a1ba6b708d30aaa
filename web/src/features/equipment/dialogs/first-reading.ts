import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  TaskBasis,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyZone } from "#/shared/use-company-day";
import { tasksQuery } from "../detail/queries";
import { useDialText } from "../meters/use-dial-text";

export interface FirstReading {
  /** Life-to-date. */
  usage: number;
  at: Date;
  day: string;
}

/** The machine's first reading, also that of its creation, which is not in its history. */
export function useFirstReading({ id }: Pick<Equipment, "id">): FirstReading | undefined {
  const zone = useCompanyZone();
  const { firstUsage, firstReadAt } = useQuery(tasksQuery(useTransport(), id)).data ?? {};
  if (firstUsage === undefined || !firstReadAt) return undefined;
  const at = timestampDate(firstReadAt);
  return { usage: firstUsage, at, day: dayIn(zone, at) };
}

/** The first reading, if it was after that day. */
export function useFirstReadingAfter(
  equipment: Pick<Equipment, "id">,
  day: string,
): FirstReading | undefined {
  const first = useFirstReading(equipment);
  return first && first.day > day ? first : undefined;
}

/** What a task counts from if it was done before the first reading, at an unknown meter. */
export function usageFromFirst(
  { basis, firstDueUsage, usageInterval }: ServiceTask,
  first: FirstReading | undefined,
): number | undefined {
  if (!first || firstDueUsage !== undefined) return undefined;
  // The next multiple of the interval stays the next one.
  return basis === TaskBasis.ON_THE_MARK && usageInterval > 0
    ? Math.floor(first.usage / usageInterval) * usageInterval
    : first.usage;
}

export function useFirstReadingText() {
  const { t } = useTranslation();
  const format = useFormat();
  const dial = useDialText();
  return (equipment: Equipment, { usage, day }: FirstReading) =>
    t("equipment-detail.done.countsFromFirst", {
      amount: dial.life(equipment, usage),
      date: format.calendarDate(day),
    });
}
