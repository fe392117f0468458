package effects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// quotaSink is the part of Nakama's module that quotas are kept with.
type quotaSink interface {
	StorageRead(ctx context.Context, reads []*runtime.StorageRead) ([]*api.StorageObject, error)
	StorageWrite(ctx context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error)
}

// takeQuota takes one of the places of a quota for a write, named by its metadata. It reports false if other writes have all of
// them. A write that is repeated finds the place that it took before.
func takeQuota(ctx context.Context, sink quotaSink, quota *pb.Quota, name []byte) (bool, error) {
	for place := range quota.Most {
		key := fmt.Sprintf("%s.%d", quota.Key, place+1)
		_, err := sink.StorageWrite(ctx, []*runtime.StorageWrite{{
			Collection: quota.Collection, Key: key, Value: string(name), Version: versionMustNotExist,
			PermissionRead: runtime.STORAGE_PERMISSION_NO_READ, PermissionWrite: runtime.STORAGE_PERMISSION_NO_WRITE,
		}})
		if !errors.Is(err, runtime.ErrStorageRejectedVersion) {
			return err == nil, err
		}
		objects, err := sink.StorageRead(ctx, []*runtime.StorageRead{{Collection: quota.Collection, Key: key}})
		if err != nil {
			return false, err
		}
		if len(objects) == 1 && sameJSON(objects[0].Value, string(name)) {
			return true, nil
		}
	}
	return false, nil
}

// sameJSON reports whether two JSON objects have equal content; the database writes objects in its own way.
func sameJSON(one, other string) bool {
	var first, second map[string]any
	return json.Unmarshal([]byte(one), &first) == nil && json.Unmarshal([]byte(other), &second) == nil &&
		reflect.DeepEqual(first, second)
}
