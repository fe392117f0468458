package effects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// takeQuota uses one unit of a quota for a write. Each unit is a storage object with the metadata of its write. A retried write
// finds its unit again. takeQuota returns false if other writes have used all units.
func takeQuota(ctx context.Context, sink Sink, quota *pb.Quota, metadata []byte) (bool, error) {
	for unit := range quota.Most {
		key := fmt.Sprintf("%s.%d", quota.Key, unit+1)
		_, err := sink.StorageWrite(ctx, []*runtime.StorageWrite{{
			Collection: quota.Collection, Key: key, Value: string(metadata), Version: versionMustNotExist,
			PermissionRead: runtime.STORAGE_PERMISSION_NO_READ, PermissionWrite: runtime.STORAGE_PERMISSION_NO_WRITE,
		}})
		if !errors.Is(err, runtime.ErrStorageRejectedVersion) {
			return err == nil, err
		}
		objects, err := sink.StorageRead(ctx, []*runtime.StorageRead{{Collection: quota.Collection, Key: key}})
		if err != nil {
			return false, err
		}
		if len(objects) == 1 && sameJSON(objects[0].Value, string(metadata)) {
			return true, nil
		}
	}
	return false, nil
}

// sameJSON reports whether two JSON objects are equal. The database changes their formatting.
func sameJSON(one, other string) bool {
	var first, second map[string]any
	return json.Unmarshal([]byte(one), &first) == nil && json.Unmarshal([]byte(other), &second) == nil &&
		reflect.DeepEqual(first, second)
}
