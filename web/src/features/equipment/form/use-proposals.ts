import { useFormState, type UseFormReturn } from "react-hook-form";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useSession } from "#/session/session";
import { proposalsFor } from "./proposals";
import type { EquipmentValues } from "./schema";

/**
 * Proposes the unit and fuel of a new machine from its type, except where one was chosen. An interval
 * of another unit is cleared.
 */
export function useProposals(form: UseFormReturn<EquipmentValues>, equipment: Equipment | null) {
  const { defaultValues, dirtyFields, isSubmitted } = useFormState({ control: form.control });
  const metric = useSession()?.fuelUnit === "litres";
  return (type: string) => {
    if (equipment) return;
    // A fuel kept from the previous machine is the default.
    const { unit, fuel = defaultValues?.fuel } = proposalsFor(type, metric);
    const options = { shouldValidate: isSubmitted };
    if (unit && !dirtyFields.unit) {
      const before = form.getValues("unit");
      if (before && before !== unit) form.setValue("serviceInterval", "", options);
      form.setValue("unit", unit, options);
    }
    if (fuel && !dirtyFields.fuel) form.setValue("fuel", fuel, options);
  };
}

/** Clears the interval of a new machine that nobody typed: it counts in the unit before. */
export function useUnitChange(form: UseFormReturn<EquipmentValues>, equipment: Equipment | null) {
  const { dirtyFields } = useFormState({ control: form.control });
  return () => {
    if (equipment || dirtyFields.serviceInterval) return;
    // The kept interval is a default, which would not differ from the same one typed.
    form.resetField("serviceInterval", { defaultValue: "" });
  };
}
