"""Health as balancers ask for it, whose watchers do not hold up a drain."""

import asyncio
from typing import Any, Final

from grpc_health.v1 import health, health_pb2

NAME: Final = health.SERVICE_NAME
_NOT_SERVING: Final = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.NOT_SERVING)


class Health(health.aio.HealthServicer):
    """The standard health service."""

    def __init__(self) -> None:
        super().__init__()
        self._watches: Final = set[asyncio.Task[Any]]()
        self._ending = False

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Any) -> None:  # noqa: N802 - gRPC's name
        """Tells the health of a service and its changes, until the server stops."""
        task = asyncio.current_task()
        if task is None:
            raise AssertionError("handlers run in tasks")
        if self._ending:
            await context.write(_NOT_SERVING)
            return
        self._watches.add(task)
        try:
            await super().Watch(request, context)
        except asyncio.CancelledError:
            if not self._ending:
                raise
            task.uncancel()
            await context.write(_NOT_SERVING)
        finally:
            self._watches.discard(task)

    async def end(self) -> None:
        """Tells everybody for good that nothing is served, and ends all watches."""
        await self.enter_graceful_shutdown()
        self._ending = True
        for watch in self._watches:
            watch.cancel()
