"""What a pod that only asks for GPUs is given to use its machine's fabric, and the policies that give it. Pure."""
# ruff: noqa: F401 (other rooms read these names here)

from .device_requests import DeviceRequest, capacity, device_requests, no_host_network, parts_by
from .image_needs import image_needs, unfit_images
from .inject import Injected, Pod, inject, pods_in
from .other_nics import other_nics
from .pattern import MACHINE_LABEL, Pattern, Served, pattern
from .pod_schema import check_pod
from .policies import GROUP, NEMO_SWITCHES, SWITCH, Scope, kyverno, marked_only, native, refusing
